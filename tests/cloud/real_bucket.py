"""A real bucket for the tests, if FLAMECHAT_TEST_S3_URL names one (s3://, gs:// or az://); its keys are in the
environment as its provider names them. It must be for tests alone: what is below its prefix is removed.
"""

import os

from server.adapters.bucket.bucket_objects import BucketObjects
from server.ports.objects import PICTURES_BUCKET, TRACES_BUCKET

NAMED = os.environ.get("FLAMECHAT_TEST_S3_URL")


async def emptied_bucket(objects: BucketObjects) -> BucketObjects:
    """Without whatever an earlier test has left."""
    for bucket in (TRACES_BUCKET, PICTURES_BUCKET):
        for path in [path async for path in objects.paths(bucket)]:
            await objects.delete(bucket, path)
    return objects
