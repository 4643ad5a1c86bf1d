"""Transfer of shapes: accuracy, topologies, speed, peers."""
