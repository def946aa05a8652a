package io.distributedlock.autoconfigure;

import java.util.Set;

import org.springframework.boot.actuate.endpoint.Show;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Configuration of the endpoint, beside what Spring Boot has for every endpoint.
 *
 * @param showKeys Who sees the keys of locks: never, when_authorized or always. A key
 * often is an identifier of business data.
 * @param roles Roles of those who see keys where that is when_authorized. All who are
 * authenticated by default.
 * @since 0.1.0
 */
@ConfigurationProperties("management.endpoint.locks")
public record LockEndpointProperties(@DefaultValue("never") Show showKeys, @DefaultValue Set<String> roles) {
}
