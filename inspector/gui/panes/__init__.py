"""One dock each. A pane knows one `OpenRun` and no other pane."""
