"""What a farm of many processors does, simulated from what one machine measures."""
