package io.distributedlock.migration;

import org.junit.jupiter.api.Test;

class FromSpringIntegrationTests extends RecipeTest {

	FromSpringIntegrationTests() {
		super("FromSpringIntegration", """
				package org.springframework.integration.redis.util;

				public class RedisLockRegistry {

					public RedisLockRegistry(Object connections, String key) {
					}

					public java.util.concurrent.locks.Lock obtain(Object key) {
						return null;
					}

				}
				""");
	}

	@Test
	void registryIsMarkedWhereItIsMade() {
		migrates("""
				package shop;

				import org.springframework.integration.redis.util.RedisLockRegistry;

				class Locks {

				    final RedisLockRegistry field = new RedisLockRegistry(this, "a");

				    RedisLockRegistry registry(Object connections) {
				        return new RedisLockRegistry(connections, "b");
				    }

				}
				""",
				"""
						package shop;

						import org.springframework.integration.redis.util.RedisLockRegistry;

						class Locks {

						    // TODO lock-migration: a bridge puts Spring Integration's LockRegistry on the locks of this library; code that uses the interface stays.
						    final RedisLockRegistry field = new RedisLockRegistry(this, "a");

						    RedisLockRegistry registry(Object connections) {
						        // TODO lock-migration: a bridge puts Spring Integration's LockRegistry on the locks of this library; code that uses the interface stays.
						        return new RedisLockRegistry(connections, "b");
						    }

						}
						""");
	}

	@Test
	void codeThatUsesARegistryIsLeft() {
		leaves("""
				package shop;

				import org.springframework.integration.redis.util.RedisLockRegistry;

				class Orders {

				    void ship(RedisLockRegistry registry) {
				        registry.obtain("orders").lock();
				    }

				}
				""");
	}

}
