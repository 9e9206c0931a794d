"""The page that runs lect in a browser: static files, which any web server can serve."""
