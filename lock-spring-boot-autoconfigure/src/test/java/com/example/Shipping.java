package com.example;

import java.util.concurrent.Callable;

import io.distributedlock.LockRegistry;

/** Code of an application, in a package that is none of the library's. */
public final class Shipping {

	private final LockRegistry registry;

	public Shipping(LockRegistry registry) {
		this.registry = registry;
	}

	/** Take the lock of an order, and keep it. */
	public <T> T ship(String order, Callable<T> body) throws Exception {
		this.registry.getLock("orders", order).lock();
		return body.call();
	}

}
