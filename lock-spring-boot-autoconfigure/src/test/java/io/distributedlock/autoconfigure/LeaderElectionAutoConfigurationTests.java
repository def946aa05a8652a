package io.distributedlock.autoconfigure;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;

import io.distributedlock.InvalidSettingException;
import io.distributedlock.LockRegistry;
import io.distributedlock.Patience;
import io.distributedlock.engine.DefaultLockRegistry;
import io.distributedlock.leader.LeaderElection;
import io.distributedlock.leader.LeaderElections;
import io.distributedlock.leader.Leadership;
import io.distributedlock.leader.event.LeadershipEvent;
import io.distributedlock.leader.event.LeadershipGrantedEvent;
import io.distributedlock.leader.event.LeadershipRevokedEvent;
import io.distributedlock.memory.MemoryLockStore;
import io.distributedlock.memory.MemoryLocks;
import io.distributedlock.observation.LeaderMeters;
import io.distributedlock.store.LockStore;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.DisposableBean;
import org.springframework.boot.actuate.info.Info;
import org.springframework.boot.actuate.info.InfoContributor;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.event.EventListener;
import org.springframework.core.annotation.Order;

import static org.assertj.core.api.Assertions.assertThat;

/** The elections of an application with Spring Boot. */
class LeaderElectionAutoConfigurationTests {

	private static final String ROLE = "invoices";

	private final MemoryLocks locks = new MemoryLocks();

	private final ApplicationContextRunner bare = new ApplicationContextRunner()
		.withConfiguration(
				AutoConfigurations.of(DistributedLockAutoConfiguration.class, LeaderElectionAutoConfiguration.class,
						LeaderInfoAutoConfiguration.class, DistributedLockObservationAutoConfiguration.class))
		.withBean("distributedLockStore", LockStore.class, () -> new MemoryLockStore(this.locks));

	private final ApplicationContextRunner runner = this.bare.withUserConfiguration(Invoices.class);

	private static void awaitLeader(LeaderElection election) {
		Patience.await().until(election::isLeader);
	}

	@Test
	void electionBeanLeadsAndItsEventsArePublished() {
		Events events = new Events();
		this.runner.withBean(Events.class, () -> events).run((context) -> {
			awaitLeader(context.getBean(LeaderElection.class));
			Patience.await().until(() -> events.told.size() == 1);
			LeadershipEvent event = events.told.get(0);
			assertThat(event).isInstanceOf(LeadershipGrantedEvent.class)
				.hasToString("LeadershipGrantedEvent[Leadership[invoices, token=%d]]"
					.formatted(event.getLeadership().fencingToken()));
			assertThat(event.getRole()).isEqualTo(ROLE);
			assertThat(event.getLeadership())
				.isSameAs(context.getBean(LeaderElection.class).leadership().orElseThrow());
		});
		assertThat(events.told).hasSize(2).last().isInstanceOf(LeadershipRevokedEvent.class);
		assertThat(this.locks.isLocked(LeaderElection.LOCK_NAME, ROLE)).isFalse();
	}

	@Test
	void applicationWithoutElectionsHasNothingOfThem() {
		this.bare.withBean(SimpleMeterRegistry.class)
			.run((context) -> assertThat(context).hasSingleBean(LeaderElections.class)
				.doesNotHaveBean(InfoContributor.class)
				.doesNotHaveBean(LeaderMeters.class));
		this.bare.withPropertyValues("distributed-lock.enabled=false")
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(LeaderElections.class));
	}

	/** Work of a leader began before its beans could be used. */
	@Test
	void electionStartsLastAndStopsFirst() {
		Phases phases = new Phases();
		this.runner.withBean(Phases.class, () -> phases).run((context) -> {
			phases.election = context.getBean(LeaderElection.class);
			awaitLeader(phases.election);
			assertThat(phases.lockedAtStart).isFalse();
		});
		assertThat(phases.seen).containsExactly("stopped, leads false", "destroyed, leads false");
	}

	@Test
	void contextThatIsStartedAgainIsACandidateAgain() {
		this.runner.run((context) -> {
			LeaderElection election = context.getBean(LeaderElection.class);
			awaitLeader(election);
			Leadership before = election.leadership().orElseThrow();
			context.stop();
			assertThat(election.isLeader()).isFalse();
			assertThat(this.locks.isLocked(LeaderElection.LOCK_NAME, ROLE)).isFalse();
			context.start();
			awaitLeader(election);
			assertThat(election.leadership().orElseThrow().fencingToken()).isGreaterThan(before.fencingToken());
		});
	}

	@Test
	void nextApplicationLeadsWhenTheFirstIsClosed() {
		this.runner.run((next) -> {
			LeaderElection election = next.getBean(LeaderElection.class);
			awaitLeader(election);
			election.stop();
			this.runner.run((first) -> {
				awaitLeader(first.getBean(LeaderElection.class));
				election.start();
				assertThat(election.isLeader()).isFalse();
			});
			awaitLeader(election);
		});
	}

	@Test
	void electionThatWasMadeInCodeStopsWithTheContext() {
		this.bare.run((context) -> {
			LeaderElection election = context.getBean(LeaderElections.class).create("tenant 7");
			election.start();
			awaitLeader(election);
			context.stop();
			assertThat(election.isLeader()).isFalse();
		});
	}

	/** It led until its bean was destroyed, and its work had lost its beans. */
	@Test
	void electionBeanOfOtherElectionsStopsWithTheContext() {
		this.bare
			.withBean("own", LeaderElection.class,
					() -> new LeaderElections(new DefaultLockRegistry(new MemoryLockStore(this.locks))).create(ROLE))
			.run((context) -> {
				LeaderElection election = context.getBean(LeaderElection.class);
				awaitLeader(election);
				context.stop();
				assertThat(election.isLeader()).isFalse();
				assertThat(this.locks.isLocked(LeaderElection.LOCK_NAME, ROLE)).isFalse();
			});
	}

	@Test
	void electionBeanOfAChildContextStopsWithThatContext() {
		this.bare.run((parent) -> this.runner.withParent(parent).run((context) -> {
			LeaderElection election = context.getBean(LeaderElection.class);
			awaitLeader(election);
			context.stop();
			assertThat(election.isLeader()).isFalse();
		}));
	}

	/** Each instance led, as a reader. */
	@Test
	void modeThatLetsSeveralLeadStopsTheStart() {
		this.runner.withPropertyValues("distributed-lock.locks.leader.mode=read")
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.isInstanceOf(InvalidSettingException.class)
				.hasMessageStartingWith("distributed-lock.locks.leader.mode is read, so several")
				.hasMessageEndingWith(": remove it, or set fair"));
		this.runner.withPropertyValues("distributed-lock.locks.leader.mode=fair")
			.run((context) -> awaitLeader(context.getBean(LeaderElection.class)));
		this.bare.withPropertyValues("distributed-lock.locks.leader.mode=read")
			.run((context) -> assertThat(context).hasNotFailed());
	}

	/** An exception keeps the event from later listeners, and the leader in its place. */
	@Test
	void listenerOfEventsThatFailsEndsNoLeadership() {
		Events events = new Events();
		this.runner.withBean(FailingEvents.class).withBean(Events.class, () -> events).run((context) -> {
			LeaderElection election = context.getBean(LeaderElection.class);
			FailingEvents failing = context.getBean(FailingEvents.class);
			Patience.await().until(() -> failing.told.size() == 1);
			assertThat(election.isLeader()).isTrue();
			election.stop();
			assertThat(failing.told).hasSize(2);
			election.start();
			Patience.await().until(() -> failing.told.size() == 3);
			assertThat(election.isLeader()).isTrue();
		});
		assertThat(events.told).isEmpty();
	}

	@Test
	void electionsOfTheApplicationTakeThePlaceOfOurs() {
		this.runner
			.withBean("own", LeaderElections.class,
					() -> new LeaderElections(new DefaultLockRegistry(new MemoryLockStore(this.locks))))
			.run((context) -> {
				assertThat(context).hasSingleBean(LeaderElections.class).hasBean("own");
				awaitLeader(context.getBean(LeaderElection.class));
			});
	}

	@Test
	void electionsAreOnThePrimaryRegistry() {
		MemoryLocks others = new MemoryLocks();
		this.runner
			.withBean("archive", DefaultLockRegistry.class, () -> new DefaultLockRegistry(new MemoryLockStore(others)),
					(definition) -> definition.setPrimary(true))
			.run((context) -> {
				awaitLeader(context.getBean(LeaderElection.class));
				assertThat(context.getBeansOfType(LockRegistry.class)).hasSize(2);
				assertThat(others.isLocked(LeaderElection.LOCK_NAME, ROLE)).isTrue();
			});
	}

	@Test
	void infoSaysWhatIsLedSinceWhenAndWithWhichToken() {
		this.runner.withUserConfiguration(Reports.class).run((context) -> {
			LeaderElection leader = context.getBean("invoices", LeaderElection.class);
			context.getBean("reports", LeaderElection.class).stop();
			awaitLeader(leader);
			Map<?, ?> roles = (Map<?, ?>) info(context.getBean(InfoContributor.class)).get("leader");
			assertThat(roles.get("reports")).isEqualTo(Map.of("leader", false));
			Map<?, ?> led = (Map<?, ?>) roles.get(ROLE);
			assertThat(led.get("leader")).isEqualTo(true);
			assertThat(led.get("fencingToken")).isEqualTo(leader.leadership().orElseThrow().fencingToken());
			assertThat((Instant) led.get("since")).isBetween(Instant.now().minus(Duration.ofMinutes(5)), Instant.now());
		});
	}

	private static Map<String, Object> info(InfoContributor contributor) {
		Info.Builder builder = new Info.Builder();
		contributor.contribute(builder);
		return builder.build().getDetails();
	}

	@Test
	void infoIsNotThereWhereItIsDisabledOrThereIsNoActuator() {
		this.runner.withPropertyValues("management.info.leader.enabled=false")
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(InfoContributor.class));
		this.runner.withClassLoader(new FilteredClassLoader(InfoContributor.class))
			.run((context) -> assertThat(context).hasNotFailed()
				.doesNotHaveBean("distributedLockLeaderInfoContributor"));
	}

	@Test
	void meterIsOneForTheLeader() {
		this.runner.withBean(SimpleMeterRegistry.class).run((context) -> {
			MeterRegistry meters = context.getBean(MeterRegistry.class);
			context.getBean(LeaderMeters.class).bindTo(meters);
			awaitLeader(context.getBean(LeaderElection.class));
			assertThat(meters.get("distributed.lock.leader").tag("role", ROLE).gauge().value()).isOne();
		});
	}

	@Configuration(proxyBeanMethods = false)
	static class Invoices {

		@Bean
		LeaderElection invoices(LeaderElections elections) {
			return elections.create(ROLE);
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Reports {

		@Bean
		LeaderElection reports(LeaderElections elections) {
			return elections.create("reports");
		}

	}

	public static final class Events {

		private final List<LeadershipEvent> told = new CopyOnWriteArrayList<>();

		@EventListener
		public void on(LeadershipEvent event) {
			this.told.add(event);
		}

	}

	public static final class FailingEvents {

		private final List<LeadershipEvent> told = new CopyOnWriteArrayList<>();

		@Order(1)
		@EventListener
		public void on(LeadershipEvent event) {
			this.told.add(event);
			throw new IllegalStateException("a listener");
		}

	}

	/** A part of the application that ends after the elections. */
	private final class Phases implements SmartLifecycle, DisposableBean {

		private final List<String> seen = new CopyOnWriteArrayList<>();

		private LeaderElection election;

		private boolean lockedAtStart;

		private boolean running;

		@Override
		public void start() {
			this.lockedAtStart = LeaderElectionAutoConfigurationTests.this.locks.isLocked(LeaderElection.LOCK_NAME,
					ROLE);
			this.running = true;
		}

		@Override
		public void stop() {
			this.running = false;
			this.seen.add("stopped, leads " + this.election.isLeader());
		}

		@Override
		public boolean isRunning() {
			return this.running;
		}

		@Override
		public int getPhase() {
			return DEFAULT_PHASE - 1;
		}

		@Override
		public void destroy() {
			this.seen.add("destroyed, leads " + this.election.isLeader());
		}

	}

}
