package io.distributedlock.ownaspect;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;

import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

/**
 * A web application with a database. The home-made aspect has locks of the JDK, and those
 * of this library are in memory: one process is enough to show how they differ.
 */
@Configuration(proxyBeanMethods = false)
@EnableAutoConfiguration
@Import({ HomeMadeAspect.class, Till.class })
class ShopApplication {

	@Bean
	Function<String, Lock> homeMadeLocks() {
		Map<String, Lock> locks = new ConcurrentHashMap<>();
		return (name) -> locks.computeIfAbsent(name, (absent) -> new ReentrantLock());
	}

}
