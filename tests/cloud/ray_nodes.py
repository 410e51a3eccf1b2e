"""A Ray cluster of four nodes on loopback: a program of its own, run by an environment that has Ray. It prints its
address. A line on stdin kills a node as a machine dies, and is answered `killed`; the end of stdin ends the cluster."""

import sys
from typing import Any

NODES = 4
STORE_BYTES = 80 << 20
START_S = 90
LOOPBACK = "127.0.0.2"
"""Ray takes 127.0.0.1 for the address by which others reach this machine, and listens there."""
LIVENESS = {"health_check_period_ms": 1000, "health_check_failure_threshold": 5}


def main() -> None:
    from ray.cluster_utils import Cluster

    node: dict[str, Any] = {"num_cpus": 1, "object_store_memory": STORE_BYTES, "node_ip_address": LOOPBACK}
    head = {**node, "include_dashboard": False, "_system_config": LIVENESS}
    cluster = Cluster(initialize_head=True, head_node_args=head)
    try:
        others = [cluster.add_node(**node) for _ in range(NODES - 1)]
        cluster.wait_for_nodes(timeout=START_S)
        _say(cluster.address)
        for _ in sys.stdin:
            cluster.remove_node(others.pop(), allow_graceful=False)
            _say("killed")
    finally:
        cluster.shutdown()


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
