package com.example.mapstore;

import io.distributedlock.autoconfigure.ConditionalOnLockStore;
import io.distributedlock.autoconfigure.LockStoreType;
import io.distributedlock.store.LockStore;

import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Registers the store under the name {@code map}. It needs the property of a map. */
@Configuration(proxyBeanMethods = false)
@EnableConfigurationProperties(MapLockProperties.class)
final class MapLockStoreConfiguration {

	@Bean
	LockStoreType mapLockStoreType() {
		return new MapType();
	}

	@Bean
	@ConditionalOnLockStore("map")
	@ConditionalOnProperty("map.name")
	@ConditionalOnMissingBean(name = { "distributedLockStore", "distributedLockRegistry" })
	MapLockStore distributedLockStore(MapLockProperties properties) {
		return new MapLockStore(new LockMap(), properties);
	}

	private static final class MapType implements LockStoreType {

		@Override
		public String name() {
			return "map";
		}

		@Override
		public boolean includes(LockStore store) {
			return store instanceof MapLockStore;
		}

		@Override
		public Missing missing() {
			return new Missing("there is no map", "Name one by map.name");
		}

	}

}
