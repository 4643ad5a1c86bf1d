"""What pages send beside messages: pictures of movies, and files that are dropped into them."""
