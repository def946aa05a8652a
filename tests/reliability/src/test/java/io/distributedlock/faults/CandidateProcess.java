package io.distributedlock.faults;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

import io.distributedlock.leader.LeaderElection;
import io.distributedlock.leader.LeaderElections;
import io.distributedlock.leader.LeaderListener;
import io.distributedlock.leader.LeaderOptions;

/**
 * A candidate for a role in a process of its own. It answers each line on its input with
 * whether it believes to lead.
 */
final class CandidateProcess extends OtherProcess {

	CandidateProcess(String host, int port, String role, Duration ttl) throws IOException {
		super(CandidateProcess.class, host, Integer.toString(port), role, ttl.toString());
	}

	public static void main(String[] args) throws IOException {
		PrintStream out = System.out;
		System.setOut(System.err);
		LeaderElection election = new LeaderElections(registry(args[0], args[1])).create(args[2],
				LeaderOptions.DEFAULTS.withTtl(Duration.parse(args[3])));
		election.addListener(LeaderListener.of((leadership) -> out.println("granted " + leadership.fencingToken()),
				(leadership) -> out.println("revoked " + leadership.fencingToken())));
		election.start();
		BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
		for (String line = in.readLine(); line != null; line = in.readLine()) {
			out.println("leads " + election.isLeader());
		}
		Runtime.getRuntime().halt(0);
	}

	/** Wait until it leads, and return the token. */
	long awaitGranted() throws IOException {
		return Long.parseLong(answer("granted "));
	}

	/** Wait until its listener was told of the end of a leadership. */
	void awaitRevoked(long token) throws IOException {
		answer("revoked " + token);
	}

	/** Return the answer of the process to a {@link #nudge} that was sent before. */
	boolean hasLed() throws IOException {
		return Boolean.parseBoolean(answer("leads "));
	}

}
