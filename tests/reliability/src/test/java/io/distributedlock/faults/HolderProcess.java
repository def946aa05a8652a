package io.distributedlock.faults;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;

import io.distributedlock.Lease;
import io.distributedlock.LockRequest;
import io.distributedlock.engine.DefaultLockRegistry;

/**
 * An instance of an application in a process of its own, which holds a lock until it is
 * killed. It answers each line on its input with whether it believes to hold it.
 */
class HolderProcess extends OtherProcess {

	/** The line that makes the process collect its garbage, again and again. */
	static final String COLLECT = "collect";

	final long token;

	HolderProcess(String host, int port, String key, Duration ttl) throws IOException {
		this(List.of(), host, port, key, ttl);
	}

	HolderProcess(List<String> jvmOptions, String host, int port, String key, Duration ttl) throws IOException {
		super(jvmOptions, HolderProcess.class, host, Integer.toString(port), key, ttl.toString());
		this.token = Long.parseLong(answer("token "));
	}

	public static void main(String[] args) throws IOException {
		PrintStream out = System.out;
		System.setOut(System.err);
		DefaultLockRegistry registry = registry(args[0], args[1]);
		Lease lease = registry.acquire(LockRequest.of(args[2]).ttl(Duration.parse(args[3])));
		lease.onLost(() -> out.println("lost"));
		out.println("token " + lease.fencingToken());
		BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
		for (String line = in.readLine(); line != null; line = in.readLine()) {
			if (line.equals(COLLECT)) {
				new Thread(HolderProcess::collectForEver).start();
			}
			else {
				out.println("held " + lease.isHeld());
			}
		}
		Runtime.getRuntime().halt(0);
	}

	private static void collectForEver() {
		while (true) {
			System.gc();
		}
	}

	/** Ask the process whether it believes to hold the lock. */
	final boolean isHeld() throws IOException {
		nudge();
		return wasHeld();
	}

	/** Return the answer of the process to a {@link #nudge} that was sent before. */
	final boolean wasHeld() throws IOException {
		return Boolean.parseBoolean(answer("held "));
	}

	/** Wait until the process has been told of its loss. */
	final void awaitLost() throws IOException {
		answer("lost");
	}

}
