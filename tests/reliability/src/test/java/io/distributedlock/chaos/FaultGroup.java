package io.distributedlock.chaos;

import java.util.List;

import io.distributedlock.history.Fault;

/** A fault that hits some locks or nodes, and no others. */
record FaultGroup(List<Fault> faults) implements AutoCloseable {

	@Override
	public void close() {
		this.faults.forEach(Fault::close);
	}

}
