"""What a run or a comparison becomes outside of the program."""
