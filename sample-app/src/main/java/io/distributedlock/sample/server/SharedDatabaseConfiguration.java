package io.distributedlock.sample.server;

import java.sql.SQLException;

import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** A database that several processes share, unless one is configured. */
@Configuration(proxyBeanMethods = false)
@ConditionalOnProperty(name = "spring.datasource.url", havingValue = "none", matchIfMissing = true)
class SharedDatabaseConfiguration {

	@Bean
	SharedDatabase sharedDatabase() throws SQLException {
		return SharedDatabase.start();
	}

}
