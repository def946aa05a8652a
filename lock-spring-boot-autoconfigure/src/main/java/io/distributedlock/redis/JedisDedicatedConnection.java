package io.distributedlock.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import redis.clients.jedis.Pipeline;
import redis.clients.jedis.Protocol;
import redis.clients.jedis.Response;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.exceptions.JedisDataException;

import static io.distributedlock.redis.ScriptArguments.number;
import static io.distributedlock.redis.ScriptArguments.utf8;

/**
 * A Jedis connection that is borrowed. Jedis does not reconnect one that was cut. Answers
 * are numbered as in {@link BlockingScriptRunner}, which says that the one to WAIT is its
 * own, too.
 */
final class JedisDedicatedConnection implements DedicatedConnection {

	private final Pipeline pipeline;

	private final Runnable breakOff;

	private final Runnable giveBack;

	/**
	 * Use a connection.
	 * @param pipeline of the connection
	 * @param breakOff keeps the connection from returning to its pool
	 * @param giveBack closes it
	 */
	JedisDedicatedConnection(Pipeline pipeline, Runnable breakOff, Runnable giveBack) {
		this.pipeline = pipeline;
		this.breakOff = breakOff;
		this.giveBack = giveBack;
	}

	@Override
	public List<Reply> run(List<AcknowledgedCall> calls) {
		List<Response<Object>> sent = new ArrayList<>(calls.size());
		List<byte[]> numbers = new ArrayList<>(calls.size());
		for (AcknowledgedCall call : calls) {
			if (call.isAsking()) {
				this.pipeline.sendCommand(Protocol.Command.ASKING, new byte[0][]);
			}
			byte[] number = NumberedScript.nextNumber();
			numbers.add(number);
			sent.add(send(call, number));
		}
		sync();
		List<Reply> replies = new ArrayList<>(calls.size());
		for (int i = 0; i < calls.size(); i++) {
			replies.add(reply(sent.get(i), numbers.get(i)));
		}
		return replies;
	}

	private Response<Object> send(AcknowledgedCall call, byte[] number) {
		NumberedScript script = NumberedScript.of(call.script());
		List<byte[]> words = new ArrayList<>(3 + call.keys().length + call.args().length);
		words.add(call.isBySource() ? script.source() : utf8(script.sha()));
		words.add(number(call.keys().length));
		words.addAll(List.of(call.keys()));
		words.addAll(List.of(call.args()));
		words.add(number);
		return this.pipeline.sendCommand(call.isBySource() ? Protocol.Command.EVAL : Protocol.Command.EVALSHA,
				words.toArray(byte[][]::new));
	}

	private Reply reply(Response<Object> answer, byte[] number) {
		try {
			return new Reply(RedisAnswers.numbered(answer.get(), number), null);
		}
		catch (JedisDataException ex) {
			return new Reply(null, ex);
		}
		catch (ClassCastException ex) {
			this.breakOff.run();
			throw new IllegalStateException("The connection gave the answer of another command: it was put back "
					+ "into the pool with an answer unread", ex);
		}
	}

	@Override
	public long awaitReplicas(int count, Duration timeout) {
		Response<Object> answer = this.pipeline.sendCommand(Protocol.Command.WAIT, number(count),
				number(timeout.toMillis()));
		sync();
		return (Long) answer.get();
	}

	private void sync() {
		try {
			this.pipeline.sync();
		}
		catch (JedisConnectionException ex) {
			this.breakOff.run();
			throw ex;
		}
	}

	@Override
	public void close() {
		this.giveBack.run();
	}

}
