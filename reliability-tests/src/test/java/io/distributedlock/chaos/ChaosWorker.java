package io.distributedlock.chaos;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;

import io.distributedlock.LockProfiles;
import io.distributedlock.engine.DefaultLockRegistry;
import io.distributedlock.engine.EngineSettings;
import io.distributedlock.history.Recorder;
import io.distributedlock.history.WitnessClient;
import io.distributedlock.redis.RedisLockStore;
import io.distributedlock.redis.RedisStoreSettings;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.SocketOptions;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.Delay;

import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * The program of a worker: its threads take locks and record it until a line comes on the
 * standard input.
 */
final class ChaosWorker {

	private ChaosWorker() {
	}

	public static void main(String[] args) throws Exception {
		PrintStream out = System.out;
		System.setOut(System.err);
		Recorder recorder = Recorder.open(Path.of(args[2]), args[3]);
		LettuceConnectionFactory factory = connect(Integer.parseInt(args[0]));
		DefaultLockRegistry registry = new DefaultLockRegistry(
				new RedisLockStore(factory,
						new RedisStoreSettings("lock:", Duration.ofSeconds(60), ChaosSettings.COMMAND_TIMEOUT, true)),
				LockProfiles.DEFAULTS,
				EngineSettings.DEFAULTS.withPollInterval(ChaosSettings.POLL).withShutdownGrace(Duration.ofSeconds(1)),
				null);
		ScheduledExecutorService disturber = Executors.newSingleThreadScheduledExecutor(ChaosWorker::daemon);
		List<Worker> workers = new ArrayList<>();
		for (int i = 0; i < Integer.parseInt(args[5]); i++) {
			Random random = new Random(Long.parseLong(args[4]) + i);
			workers.add(new Worker("thread-" + i, registry, recorder, new WitnessClient(Integer.parseInt(args[1])),
					disturber, random, Integer.parseInt(args[6])));
		}
		workers.forEach(Thread::start);
		out.println("working");
		finish(workers, registry);
		factory.destroy();
		recorder.close();
		out.println("finished " + threadsLeft());
		Runtime.getRuntime().halt(0);
	}

	private static void finish(List<Worker> workers, DefaultLockRegistry registry)
			throws IOException, InterruptedException {
		if (System.in.read() < 0) {
			Runtime.getRuntime().halt(1);
		}
		workers.forEach(Worker::finish);
		for (Worker worker : workers) {
			worker.join(20_000);
		}
		registry.close();
		for (Worker worker : workers) {
			worker.join();
		}
	}

	private static LettuceConnectionFactory connect(int port) {
		LettuceConnectionFactory factory = new LettuceConnectionFactory(
				new RedisStandaloneConfiguration("127.0.0.1", port),
				LettuceClientConfiguration.builder()
					.shutdownQuietPeriod(Duration.ZERO)
					.clientResources(
							ClientResources.builder().reconnectDelay(Delay.constant(Duration.ofMillis(100))).build())
					.clientOptions(ClientOptions.builder()
						.socketOptions(SocketOptions.builder().connectTimeout(Duration.ofSeconds(1)).build())
						.build())
					.build());
		factory.afterPropertiesSet();
		factory.start();
		return factory;
	}

	private static Thread daemon(Runnable task) {
		Thread thread = new Thread(task, "disturber");
		thread.setDaemon(true);
		return thread;
	}

	/**
	 * How many threads the library has started and not ended after a while.
	 */
	private static long threadsLeft() throws InterruptedException {
		List<Thread> threads = Thread.getAllStackTraces()
			.keySet()
			.stream()
			.filter((thread) -> thread.getName().startsWith("distributed-lock"))
			.toList();
		for (Thread thread : threads) {
			thread.join(5000);
		}
		return threads.stream().filter(Thread::isAlive).peek((thread) -> System.err.println("Left: " + thread)).count();
	}

}
