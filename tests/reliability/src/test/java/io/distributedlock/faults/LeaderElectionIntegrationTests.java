package io.distributedlock.faults;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;

import io.distributedlock.leader.LeaderElection;
import io.distributedlock.leader.LeaderElections;
import io.distributedlock.leader.LeaderListener;
import io.distributedlock.leader.LeaderOptions;
import io.distributedlock.leader.Leadership;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** Leaders of several instances on a real server, and what happens to them. */
class LeaderElectionIntegrationTests {

	private static final String ROLE = "invoices";

	/** A lease that survives a standstill of a busy machine. */
	private static final Duration TTL = Duration.ofSeconds(9);

	/** A lease that is not to end. */
	private static final Duration LONG = Duration.ofMinutes(10);

	private FaultyRedis redis;

	private final List<Leadership> granted = new CopyOnWriteArrayList<>();

	private final List<Leadership> revoked = new CopyOnWriteArrayList<>();

	private final List<LeaderElections> all = new ArrayList<>();

	@BeforeEach
	void start() {
		this.redis = new FaultyRedis();
	}

	@AfterEach
	void stop() throws Exception {
		this.all.forEach(LeaderElections::close);
		this.redis.close();
	}

	private LeaderElection candidate(Duration ttl) {
		LeaderElections elections = new LeaderElections(this.redis.instance(),
				List.of(LeaderListener.of(this.granted::add, this.revoked::add)));
		this.all.add(elections);
		LeaderElection election = elections.create(ROLE, LeaderOptions.DEFAULTS.withTtl(ttl));
		election.start();
		return election;
	}

	private LeaderElection awaitLeaderOf(List<LeaderElection> candidates) {
		await().until(() -> candidates.stream().anyMatch(LeaderElection::isLeader));
		return candidates.stream().filter(LeaderElection::isLeader).findFirst().orElseThrow();
	}

	private CandidateProcess process() throws Exception {
		return new CandidateProcess(this.redis.server.host(), this.redis.server.port(), ROLE, TTL);
	}

	/** A lease of ten minutes ends in no test, so each successor was given the lock. */
	@Test
	void leadersThatStopAreFollowedWithoutWaitingForALease() {
		List<LeaderElection> candidates = new ArrayList<>(List.of(candidate(LONG), candidate(LONG), candidate(LONG)));
		for (int leaders = 1; !candidates.isEmpty(); leaders++) {
			LeaderElection leader = awaitLeaderOf(candidates);
			assertThat(candidates).filteredOn(LeaderElection::isLeader).hasSize(1);
			int told = leaders;
			await().until(() -> this.granted.size() == told);
			leader.stop();
			assertThat(leader.isLeader()).isFalse();
			candidates.remove(leader);
		}
		assertThat(this.revoked).hasSize(3).isEqualTo(this.granted);
		assertThat(this.granted).extracting(Leadership::fencingToken).isSorted().doesNotHaveDuplicates();
	}

	@Test
	void leaderThatStepsDownIsFollowed() {
		List<LeaderElection> candidates = List.of(candidate(LONG), candidate(LONG));
		LeaderElection leader = awaitLeaderOf(candidates);
		assertThat(leader.stepDown()).isTrue();
		LeaderElection next = (leader == candidates.get(0)) ? candidates.get(1) : candidates.get(0);
		await().until(next::isLeader);
		assertThat(leader.isLeader()).isFalse();
	}

	@Test
	void leaderWhoseProcessWasKilledIsReplaced() throws Exception {
		try (CandidateProcess leader = process()) {
			long token = leader.awaitGranted();
			LeaderElection here = candidate(TTL);
			assertThat(here.isLeader()).isFalse();
			leader.kill();
			await().until(here::isLeader);
			assertThat(here.leadership().orElseThrow().fencingToken()).isGreaterThan(token);
		}
	}

	/** SIGSTOP beyond the lease: the process wakes up behind its successor. */
	@Test
	void leaderThatWasStoppedBeyondItsLeaseKnowsAtOnce() throws Exception {
		try (CandidateProcess leader = process()) {
			long token = leader.awaitGranted();
			LeaderElection here = candidate(LONG);
			leader.stop();
			await().until(here::isLeader);
			leader.nudge();
			leader.resume();
			assertThat(leader.hasLed()).isFalse();
			leader.awaitRevoked(token);
			assertThat(here.isLeader()).isTrue();
		}
	}

	@Test
	void keyThatIsDeletedIsFollowedByRevocationAndReElection() {
		LeaderElection leader = candidate(TTL);
		await().until(leader::isLeader);
		Leadership before = leader.leadership().orElseThrow();
		assertThat(this.redis.admin().del("lock:" + LeaderElection.LOCK_NAME + ":" + ROLE)).isOne();
		await().until(() -> this.revoked.contains(before));
		assertThat(before.isHeld()).isFalse();
		assertReElected(leader, before);
	}

	@Test
	void dataThatIsFlushedIsFollowedByRevocationAndReElection() {
		LeaderElection leader = candidate(TTL);
		await().until(leader::isLeader);
		Leadership before = leader.leadership().orElseThrow();
		this.redis.admin().flushall();
		await().until(() -> this.revoked.contains(before));
		assertReElected(leader, before);
	}

	private static void assertReElected(LeaderElection leader, Leadership before) {
		await().until(leader::isLeader);
		assertThat(leader.leadership().orElseThrow().fencingToken()).isGreaterThan(before.fencingToken());
	}

	/**
	 * The server stands still: the lock is there, and its holder cannot renew it. Nothing
	 * is left of a lease in doubt, after a step of the machine's clock.
	 */
	@Test
	void leaderStepsDownBeforeItsLeaseEndsInAnOutage() {
		LeaderElection leader = candidate(TTL);
		await().until(leader::isLeader);
		Leadership before = leader.leadership().orElseThrow();
		List<Long> ended = new CopyOnWriteArrayList<>();
		before.onEnd(() -> ended.add(System.nanoTime()));
		this.redis.server.pause();
		long leaseEnd = awaitEndOfLease(before);
		await().until(() -> this.revoked.contains(before));
		this.redis.server.resume();
		assertThat(leader.leadership()).isNotEqualTo(Optional.of(before));
		assertReElected(leader, before);
		assertThat(ended).singleElement().satisfies((end) -> assertThat(leaseEnd - end).isPositive());
	}

	/** Return the time at which a lease ends that nothing renews. */
	private static long awaitEndOfLease(Leadership leadership) {
		AtomicLong end = new AtomicLong();
		await().until(() -> {
			long now = System.nanoTime();
			Duration remaining = leadership.lease().remaining();
			end.set(now + remaining.toNanos());
			return !remaining.isZero();
		});
		return end.get();
	}

}
