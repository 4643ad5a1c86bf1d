"""The inverse rig: accuracy, speed, peers."""
