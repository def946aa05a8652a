package io.distributedlock.ownaspect;

import java.time.Duration;

import io.distributedlock.LockRequest;
import io.distributedlock.LockTemplate;
import io.distributedlock.annotation.DistributedLock;

import org.springframework.beans.factory.ObjectProvider;

/** A service that calls a guarded method of its own. */
class Report {

	private static final LockRequest LOCK = LockRequest.of("report", "daily").waitFor(Duration.ZERO);

	private final ObjectProvider<Report> self;

	private final LockTemplate locks;

	Report(ObjectProvider<Report> self, LockTemplate locks) {
		this.self = self;
		this.locks = locks;
	}

	@DistributedLock(name = "report", key = "'daily'", waitFor = "0")
	public String write() {
		return "written";
	}

	public String writeByThis() {
		return write();
	}

	public String writeByTheBean() {
		return this.self.getObject().write();
	}

	public String writeByATemplate() {
		return this.locks.execute(LOCK, (lease) -> write());
	}

}
