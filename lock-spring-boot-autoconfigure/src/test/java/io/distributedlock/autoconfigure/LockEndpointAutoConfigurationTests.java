package io.distributedlock.autoconfigure;

import java.util.Collection;
import java.util.List;
import java.util.Map;

import com.example.Shipping;
import io.distributedlock.LeaseLock;
import io.distributedlock.LockInspector;
import io.distributedlock.LockRegistry;
import io.distributedlock.actuate.LockDescriptor;
import io.distributedlock.actuate.LocksDescriptor;
import io.distributedlock.actuate.LocksEndpoint;
import io.distributedlock.actuate.LocksEndpointWebExtension;
import io.distributedlock.engine.DefaultLockRegistry;
import io.distributedlock.memory.MemoryLockStore;
import org.junit.jupiter.api.Test;

import org.springframework.boot.actuate.autoconfigure.endpoint.EndpointAutoConfiguration;
import org.springframework.boot.actuate.autoconfigure.endpoint.PropertiesEndpointAccessResolver;
import org.springframework.boot.actuate.endpoint.InvocationContext;
import org.springframework.boot.actuate.endpoint.OperationFilter;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.invoke.convert.ConversionServiceParameterValueMapper;
import org.springframework.boot.actuate.endpoint.jmx.JmxOperation;
import org.springframework.boot.actuate.endpoint.jmx.annotation.JmxEndpointDiscoverer;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;

/** When there is an endpoint, and which of its operations are open. */
class LockEndpointAutoConfigurationTests {

	private final ApplicationContextRunner bare = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(DistributedLockAutoConfiguration.class,
				LockEndpointAutoConfiguration.class, EndpointAutoConfiguration.class))
		.withPropertyValues("distributed-lock.store=memory");

	private final ApplicationContextRunner exposed = this.bare.withPropertyValues(
			"management.endpoints.web.exposure.include=locks", "spring.jmx.enabled=true",
			"management.endpoints.jmx.exposure.include=locks");

	@Test
	void endpointIsThereWhereItIsExposed() {
		this.exposed.run((context) -> assertThat(context).hasSingleBean(LocksEndpoint.class));
		this.bare.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(LocksEndpoint.class));
	}

	@Test
	void endpointWithoutAccessIsNotThere() {
		this.exposed.withPropertyValues("management.endpoint.locks.access=NONE")
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(LocksEndpoint.class));
	}

	@Test
	void endpointWithoutTheActuatorOrLocksIsNotThere() {
		this.exposed.withClassLoader(new FilteredClassLoader(Endpoint.class))
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(LocksEndpoint.class));
		this.exposed.withPropertyValues("distributed-lock.enabled=false")
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(LocksEndpoint.class));
	}

	/**
	 * The start failed, since the profiles are not there. Later it showed the defaults,
	 * with a property as their origin that had no effect.
	 */
	@Test
	void endpointWhereLockingIsOffShowsNoProfiles() {
		this.exposed.withPropertyValues("distributed-lock.enabled=false", "distributed-lock.ttl=7m")
			.withBean("own", DefaultLockRegistry.class, () -> new DefaultLockRegistry(new MemoryLockStore()))
			.run((context) -> {
				LocksEndpoint endpoint = context.getBean(LocksEndpoint.class);
				LocksDescriptor all = endpoint.locks(SecurityContext.NONE);
				assertThat(all.profiles()).isEmpty();
				assertThat(all.instances()).extracting(LocksDescriptor.Instance::registry).containsExactly("own");
				assertThat(endpoint.lock("orders", null, null, SecurityContext.NONE).profile()).isEmpty();
			});
	}

	@Test
	void endpointOfTheApplicationTakesItsPlace() {
		this.exposed.withBean("own", LocksEndpoint.class, () -> new LocksEndpoint(List.of(), Map::of,
				org.springframework.boot.actuate.endpoint.Show.NEVER, java.util.Set.of(), (event) -> {
				}))
			.run((context) -> assertThat(context).getBeanNames(LocksEndpoint.class).containsExactly("own"));
	}

	@Test
	void forceReleaseIsClosedUnlessAccessIsUnrestricted() {
		this.exposed.run((context) -> assertThat(operations(context)).extracting(JmxOperation::getName)
			.containsExactlyInAnyOrder("locks", "lock"));
		this.exposed.withPropertyValues("management.endpoint.locks.access=UNRESTRICTED")
			.run((context) -> assertThat(operations(context)).extracting(JmxOperation::getName)
				.containsExactlyInAnyOrder("locks", "lock", "forceRelease"));
	}

	/** Parameters that may be left out are told by annotations that differ by version. */
	@Test
	void operationsRunAsSpringBootRunsThem() {
		this.exposed.withPropertyValues("management.endpoint.locks.access=UNRESTRICTED").run((context) -> {
			LockRegistry registry = context.getBean(LockRegistry.class);
			LocksDescriptor all = new Shipping(registry).ship("7",
					() -> (LocksDescriptor) invoke(context, "locks", Map.of()));
			assertThat(all.held()).singleElement().satisfies((held) -> {
				assertThat(held.lock().keys()).containsExactly("******");
				assertThat(held.owner().place()).startsWith("com.example.Shipping.ship(Shipping.java:");
			});
			LockDescriptor one = (LockDescriptor) invoke(context, "lock", Map.of("name", "orders", "key", "7"));
			assertThat(one.store().holders()).hasSize(1);
			assertThat(((LockDescriptor) invoke(context, "lock", Map.of("name", "orders"))).store()).isNull();
			assertThat(invoke(context, "forceRelease", Map.of("name", "orders", "key", "7")))
				.isEqualTo(new LockDescriptor.Released(1));
			assertThat(context.getBean(LockInspector.class).isLocked("orders", "7")).isFalse();
		});
	}

	@Test
	void extensionIsThereWhereTheEndpointIsExposedOverHttp() {
		this.exposed.run((context) -> assertThat(context).hasSingleBean(LocksEndpointWebExtension.class));
		this.bare.withPropertyValues("spring.jmx.enabled=true", "management.endpoints.jmx.exposure.include=locks")
			.run((context) -> assertThat(context).hasSingleBean(LocksEndpoint.class)
				.doesNotHaveBean(LocksEndpointWebExtension.class));
	}

	@Test
	void keysAreShownToThoseThatMaySeeThem() {
		this.exposed.withPropertyValues("management.endpoint.locks.show-keys=always").run((context) -> {
			LeaseLock lock = context.getBean(LockRegistry.class).getLock("orders", "7");
			lock.lock();
			assertThat(context.getBean(LocksEndpoint.class).locks(SecurityContext.NONE).held()).singleElement()
				.satisfies((held) -> assertThat(held.lock().keys()).containsExactly("7"));
			lock.unlock();
		});
	}

	@Test
	void profilesSayWhereEachSettingComesFrom() {
		this.exposed
			.withPropertyValues("distributed-lock.locks.orders.ttl=1m", "distributed-lock.locks[a.b].wait=2s",
					"distributed-lock.max-hold=1h")
			.run((context) -> {
				LocksDescriptor all = context.getBean(LocksEndpoint.class).locks(SecurityContext.NONE);
				assertThat(all.profiles()).containsOnlyKeys("", "orders", "a.b");
				assertThat(all.profiles().get("orders")).containsOnlyKeys("ttl");
				assertThat(all.profiles().get("orders").get("ttl").value()).isEqualTo("PT1M");
				assertThat(all.profiles().get("orders").get("ttl").origin())
					.contains("distributed-lock.locks.orders.ttl");
				assertThat(all.profiles().get("a.b").get("wait").origin()).contains("distributed-lock.locks[a.b].wait");
				assertThat(all.profiles().get("").get("ttl").origin()).isEqualTo("default");
				assertThat(all.profiles().get("").get("max-hold").origin()).contains("distributed-lock.max-hold");
			});
	}

	@Test
	void severalRegistriesAreShownTheUsualOneFirst() {
		this.exposed.withUserConfiguration(SecondRegistry.class)
			.run((context) -> assertThat(context.getBean(LocksEndpoint.class).locks(SecurityContext.NONE).instances())
				.extracting(LocksDescriptor.Instance::registry)
				.containsExactly("distributedLockRegistry", "archive"));
	}

	@Test
	void instanceHasANameThatCanBeSet() {
		this.exposed.withPropertyValues("spring.application.name=shop")
			.run((context) -> assertThat(context.getBean(DefaultLockRegistry.class).instanceName())
				.matches("shop@.+ \\(%d\\)".formatted(ProcessHandle.current().pid())));
		this.exposed.withPropertyValues("distributed-lock.instance-name=shop of Ann")
			.run((context) -> assertThat(context.getBean(DefaultLockRegistry.class).instanceName())
				.isEqualTo("shop of Ann"));
		this.exposed.withPropertyValues("distributed-lock.instance-name=" + "x".repeat(201))
			.run((context) -> assertThat(context).getFailure()
				.hasStackTraceContaining("distributed-lock.instance-name"));
	}

	private static Collection<JmxOperation> operations(ApplicationContext context) {
		JmxEndpointDiscoverer discoverer = new JmxEndpointDiscoverer(context,
				new ConversionServiceParameterValueMapper(), List.of(), List.of(),
				List.of(OperationFilter.byAccess(new PropertiesEndpointAccessResolver(context.getEnvironment()))));
		return discoverer.getEndpoints().iterator().next().getOperations();
	}

	private static Object invoke(ApplicationContext context, String operation, Map<String, Object> arguments) {
		return operations(context).stream()
			.filter((each) -> each.getName().equals(operation))
			.findFirst()
			.orElseThrow()
			.invoke(new InvocationContext(SecurityContext.NONE, arguments));
	}

	@Configuration(proxyBeanMethods = false)
	static class SecondRegistry {

		@Bean(defaultCandidate = false)
		DefaultLockRegistry archive() {
			return new DefaultLockRegistry(new MemoryLockStore());
		}

	}

}
