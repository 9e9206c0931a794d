"""What `lect new` writes: a package with an adapter, ready to install, test and publish."""
