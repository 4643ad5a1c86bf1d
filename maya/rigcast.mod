+ PLATFORM:linux rigcast 0.1.0 ./rigcast
