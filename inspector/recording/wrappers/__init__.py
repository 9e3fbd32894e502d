"""What is put in front of the public methods of instances while a run is recorded."""
