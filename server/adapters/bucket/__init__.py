"""Files in a bucket of a cloud: S3 and what speaks its protocol, Google Cloud Storage, Azure Blob Storage."""
