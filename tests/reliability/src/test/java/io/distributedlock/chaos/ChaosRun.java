package io.distributedlock.chaos;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.LongSummaryStatistics;
import java.util.Random;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;

import io.distributedlock.history.Bounds;
import io.distributedlock.history.Event;
import io.distributedlock.history.Event.Op;
import io.distributedlock.history.Event.Phase;
import io.distributedlock.history.HistoryChecker;
import io.distributedlock.history.HistoryReader;
import io.distributedlock.history.Quiescence;
import io.distributedlock.history.Report;
import io.distributedlock.history.Violation;

/**
 * Lets workers work while faults strike in two lanes, one for the server, one for
 * processes and connections; then lets everything heal, looks at the state that is left,
 * and has the history checked.
 */
final class ChaosRun {

	/** The time that scheduling on a busy machine and recording may add. */
	private static final Duration SLACK = Duration.ofMillis(1500);

	/** How long the store remembers a free lock, see {@link ChaosWorker}. */
	static final Duration RETENTION = Duration.ofSeconds(60);

	/** Until there are so many of both, a run goes on where everything takes long. */
	private static final int FEWEST_FAULTS = 6;

	private static final int FEWEST_ACQUISITIONS = 250;

	/** How long before and after a violation its history is told. */
	private static final Duration CONTEXT = Duration.ofMillis(600);

	private static final int MOST_CONTEXT = 400;

	/** If several runs go on at once, faults strike in two of them at a time. */
	private static final Semaphore TURNS = new Semaphore(2, true);

	private final ChaosSettings settings;

	private final Path directory;

	/** Strike once each, in this order, instead of the faults of the two lanes. */
	private final List<Nemesis> forced;

	private String server = "";

	/** How many faults have begun. */
	private final AtomicInteger struck = new AtomicInteger();

	ChaosRun(ChaosSettings settings, Path directory) {
		this(settings, directory, List.of());
	}

	ChaosRun(ChaosSettings settings, Path directory, List<Nemesis> forced) {
		this.settings = settings;
		this.directory = directory;
		this.forced = forced;
	}

	ChaosReport run() throws Exception {
		Quiescence rest;
		try {
			rest = record();
		}
		catch (IOException ex) {
			throw new IOException(failures(), ex);
		}
		HistoryChecker checker = new HistoryChecker(bounds());
		Tally tally = new Tally();
		HistoryReader.of(this.directory).forEach((event) -> {
			tally.accept(event);
			checker.accept(event);
		});
		Report report = checker.finish(rest);
		return new ChaosReport(this.settings, this.server, tally, report, around(report.violations()));
	}

	/**
	 * The recorded events of the lock of the first violation around it. If they are too
	 * many, those nearest to its last event.
	 */
	private List<Event> around(List<Violation> violations) {
		if (violations.isEmpty() || violations.get(0).events().isEmpty()) {
			return List.of();
		}
		Violation first = violations.get(0);
		LongSummaryStatistics times = first.events().stream().mapToLong(Event::t).summaryStatistics();
		long from = times.getMin() - CONTEXT.toNanos();
		long to = times.getMax() + CONTEXT.toNanos();
		List<Event> events = new ArrayList<>();
		HistoryReader.of(this.directory).forEach((event) -> {
			boolean meant = event.op() == Op.NEMESIS || event.key().equals(first.key());
			if (meant && event.t() >= from && event.t() <= to) {
				events.add(event);
			}
		});
		return events.stream()
			.sorted(Comparator.comparingLong((event) -> Math.abs(event.t() - times.getMax())))
			.limit(MOST_CONTEXT)
			.sorted(Comparator.comparingLong(Event::t))
			.toList();
	}

	/** The failures that were written by workers that have ended by themselves. */
	private String failures() throws IOException {
		try (Stream<Path> files = Files.list(this.directory)) {
			StringBuilder text = new StringBuilder("The run could not be finished\n");
			for (Path file : files.filter((each) -> each.toString().endsWith(ChaosWorker.FAILURE)).toList()) {
				text.append(file.getFileName()).append(": ").append(Files.readString(file));
			}
			return text.toString();
		}
	}

	private Bounds bounds() {
		Bounds bounds = new Bounds(ChaosSettings.LONGEST_TTL, ChaosSettings.POLL, ChaosSettings.COMMAND_TIMEOUT, SLACK,
				true);
		return this.settings.topology().isMajority() ? bounds.ofQuorum() : bounds;
	}

	private Quiescence record() throws Exception {
		try (Arena arena = new Arena(this.settings, this.directory)) {
			this.server = arena.topology().description();
			Quiescence.Counts before = arena.counts(0);
			arena.startWorkers();
			TURNS.acquire();
			try {
				arena.beginWork();
				if (this.forced.isEmpty()) {
					strikeAtRandom(arena);
				}
				else {
					strikeOnce(arena);
				}
			}
			finally {
				TURNS.release();
			}
			int threads = arena.finishWorkers();
			arena.topology().awaitHealthy();
			return new Aftermath(arena, RETENTION).look(before, threads);
		}
	}

	private void strikeOnce(Arena arena) throws Exception {
		for (Nemesis nemesis : this.forced) {
			nemesis.strike().on(arena, new Random(this.settings.seed()));
		}
		arena.end();
	}

	private void strikeAtRandom(Arena arena) throws Exception {
		List<Lane> lanes = lanes(arena);
		lanes.forEach(Thread::start);
		arena.lasts(this.settings.duration());
		while ((this.struck.get() < FEWEST_FAULTS || acquisitions() < FEWEST_ACQUISITIONS) && !arena.isOver()) {
			arena.lasts(Duration.ofMillis(500));
		}
		arena.end();
		for (Lane lane : lanes) {
			lane.finish();
		}
	}

	/** How many locks were got so far. */
	private long acquisitions() {
		AtomicLong count = new AtomicLong();
		HistoryReader.of(this.directory).forEach((event) -> {
			if (event.op() == Op.ACQUIRE && event.phase() == Phase.OK) {
				count.incrementAndGet();
			}
		});
		return count.get();
	}

	private List<Lane> lanes(Arena arena) {
		Stream<Nemesis> handOffs = this.settings.topology().isMajority() ? Stream.of()
				: Stream.of(ProcessFaults.AT_A_HAND_OFF);
		List<Nemesis> outside = Stream.of(handOffs, ProcessFaults.ALL.stream(), NetworkFaults.ALL.stream())
			.flatMap((each) -> each)
			.toList();
		List<Lane> lanes = new ArrayList<>();
		lanes.add(new Lane("server", arena, arena.topology().faults(), new Random(this.settings.seed())));
		lanes.add(new Lane("outside", arena, outside, new Random(this.settings.seed() + 1)));
		return lanes;
	}

	/** Faults one after the other, the first of them first, with pauses between. */
	private final class Lane extends Thread {

		private final Arena arena;

		private final List<Nemesis> nemeses;

		private final Random random;

		private Exception failure;

		private Lane(String name, Arena arena, List<Nemesis> nemeses, Random random) {
			super(name);
			this.arena = arena;
			this.nemeses = nemeses;
			this.random = random;
		}

		@Override
		public void run() {
			try {
				strike();
			}
			catch (Exception ex) {
				this.failure = ex;
				this.arena.end();
			}
		}

		private void strike() throws Exception {
			List<Nemesis> round = new ArrayList<>(this.nemeses);
			Nemesis next = round.remove(0);
			while (!this.arena.isOver()) {
				ChaosRun.this.struck.incrementAndGet();
				next.strike().on(this.arena, this.random);
				if (round.isEmpty()) {
					round.addAll(this.nemeses);
				}
				next = round.remove(this.random.nextInt(round.size()));
				this.arena.lasts(ProcessFaults.upTo(this.random, (int) ChaosRun.this.settings.pause().toMillis()));
			}
		}

		/** Wait for the end, and fail if a fault could not be made. */
		private void finish() throws Exception {
			join();
			if (this.failure != null) {
				throw new IOException("A fault of the " + getName() + " could not be made", this.failure);
			}
		}

	}

}
