package io.distributedlock.chaos;

import java.util.List;
import java.util.Map;

import io.distributedlock.embedded.RedisServer;
import io.distributedlock.history.PastFault;

/** Sees the same of each master of a cluster and its replica, for their own locks. */
record ClusterWatch(Map<RedisServer, ServerGroupWatch> groups) implements ServerWatch.Judge {

	@Override
	public void answered(RedisServer server, long sent, boolean isMaster) {
		this.groups.get(server).answered(server, sent, isMaster);
	}

	@Override
	public List<PastFault> faults() {
		return this.groups.values().stream().distinct().flatMap((group) -> group.faults().stream()).toList();
	}

}
