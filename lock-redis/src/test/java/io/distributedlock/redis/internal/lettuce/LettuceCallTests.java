package io.distributedlock.redis.internal.lettuce;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;

import io.distributedlock.redis.internal.driver.Script;
import io.distributedlock.redis.internal.driver.ScriptCall;
import io.lettuce.core.RedisException;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.protocol.Command;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import io.lettuce.core.protocol.RedisCommand;
import io.lettuce.core.protocol.RedisStateMachine;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.mockito.ArgumentCaptor;
import org.mockito.ArgumentMatchers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.BDDMockito.given;
import static org.mockito.BDDMockito.then;
import static org.mockito.BDDMockito.willAnswer;
import static org.mockito.Mockito.mock;

/**
 * {@link LettuceCall} with connections that are made up.
 */
class LettuceCallTests {

	private final ScriptCall call = new ScriptCall(new Script(new byte[0]), new byte[][] { {} }, new byte[0][]);

	private RedisCommand<byte[], byte[], Object> command;

	@BeforeEach
	@SuppressWarnings("unchecked")
	void send() {
		StatefulConnection<byte[], byte[]> connection = mock(StatefulConnection.class);
		new LettuceCall(mock(LettuceScriptRunner.class), connection, this.call, false, false, false).send();
		ArgumentCaptor<RedisCommand<byte[], byte[], Object>> sent = ArgumentCaptor.captor();
		then(connection).should().dispatch(sent.capture());
		this.command = sent.getValue();
	}

	@Test
	void answerIsANumberOrAList() {
		read(":7\r\n");
		assertThat(this.command.getOutput().get()).isEqualTo(7L);
		read("*3\r\n:0\r\n$-1\r\n:5\r\n");
		assertThat(this.command.getOutput().get()).isEqualTo(Arrays.asList(0L, null, 5L));
		read("*0\r\n");
		assertThat(this.command.getOutput().get()).isEqualTo(List.of());
	}

	/**
	 * The reaction to the failure sent another command, for which Lettuce waited forever:
	 * its event loop waited for the first one to be sent.
	 */
	@Test
	void failureWhileItIsSentIsToldAfterwards() {
		AtomicBoolean sending = new AtomicBoolean();
		List<Boolean> told = new ArrayList<>();
		StatefulConnection<byte[], byte[]> connection = mock();
		willAnswer((write) -> {
			sending.set(true);
			RedisCommand<?, ?, ?> rejected = write.getArgument(0);
			rejected.completeExceptionally(new RedisException("rejected"));
			sending.set(false);
			return rejected;
		}).given(connection).dispatch(ArgumentMatchers.<RedisCommand<byte[], byte[], Object>>any());
		LettuceScriptRunner runner = mock(LettuceScriptRunner.class);
		willAnswer((ended) -> told.add(sending.get())).given(runner).ended();
		this.call.whenComplete((answer, failure) -> told.add(sending.get()));
		new LettuceCall(runner, connection, this.call, true, false, false).send();
		assertThat(told).containsExactly(false, false);
	}

	/**
	 * The token of a lock was taken for the rest of the answer that it is busy, which the
	 * connection had been lost in.
	 */
	@Test
	void answerWhenAConnectionWasLostWithinAListIsThatOfTheNext() {
		read("*4\r\n:0\r\n:1000\r\n$2\r\na");
		read(":7\r\n");
		this.command.complete();
		assertThat(this.call).isCompletedWithValue(7L);
	}

	@Test
	void answerWhenAConnectionWasLostWithinAListIsTheListOfTheNext() {
		read("*4\r\n:0\r\n:1000\r\n");
		read("*2\r\n:-1\r\n:5\r\n");
		this.command.complete();
		assertThat(this.call).isCompletedWithValue(List.of(-1L, 5L));
	}

	@Test
	void refusalWhenAConnectionWasLostWithinAListIsThatOfTheNext() {
		read("*4\r\n:0\r\n:1000\r\n");
		read("-OOM no memory\r\n");
		this.command.complete();
		assertThat(this.call).isCompletedExceptionally();
	}

	/** No caller has cancelled it, so this is an outage, which is tried again. */
	@Test
	void commandThatLettuceCancelsFails() {
		this.command.cancel();
		assertThat(this.call).isCompletedExceptionally().isNotCancelled();
	}

	/** Any bytes, the first one negative. */
	private static byte[] bytes(int count) {
		byte[] all = new byte[count];
		for (int i = 0; i < count; i++) {
			all[i] = (byte) ((i % 3 == 0) ? ~i : i);
		}
		return all;
	}

	/** The first one is empty. */
	private static byte[][] many(int count) {
		return IntStream.range(0, count).mapToObj(LettuceCallTests::bytes).toArray(byte[][]::new);
	}

	private static byte[] encoded(RedisCommand<byte[], byte[], ?> command) {
		ByteBuf buffer = Unpooled.buffer();
		command.encode(buffer);
		return ByteBufUtil.getBytes(buffer);
	}

	/** Twice, since Lettuce writes it again after a reconnect. */
	@ParameterizedTest
	@CsvSource({ "false, 1, 1, 1", "false, 1, 1, 0", "false, 1, 9, 3", "true, 20, 1, 1", "true, 511, 65, 65",
			"true, 512, 511, 512", "true, 20000, 1400, 351" })
	void commandIsWrittenAsLettuceWouldAndAClusterFindsItsKey(boolean bySource, int source, int keys, int args) {
		Script script = new Script(bytes(source));
		ScriptCall any = new ScriptCall(script, many(keys), many(args));
		any.keys[0] = bytes(7);
		CommandArgs<byte[], byte[]> all = new CommandArgs<>(ByteArrayCodec.INSTANCE)
			.add(bySource ? script.source : script.digest)
			.add(keys)
			.addKeys(any.keys)
			.addValues(any.args);
		byte[] expected = encoded(new Command<>(bySource ? CommandType.EVAL : CommandType.EVALSHA, null, all));
		LettuceCall written = new LettuceCall(mock(LettuceScriptRunner.class), mock(), any, false, bySource, false);
		assertThat(encoded(written)).isEqualTo(expected);
		assertThat(encoded(written)).isEqualTo(expected);
		assertThat(written.getArgs().getFirstEncodedKey().array()).isEqualTo(any.keys[0]);
	}

	/**
	 * It was sent after a reconnect, though its caller had given up: Lettuce asks only
	 * the command around it.
	 */
	@Test
	void commandOfAClusterIsWithdrawnWithTheOneAroundIt() {
		StatefulConnection<byte[], byte[]> connection = mock();
		RedisCommand<byte[], byte[], Object> around = mock();
		given(connection.dispatch(ArgumentMatchers.<RedisCommand<byte[], byte[], Object>>any())).willReturn(around);
		new LettuceCall(mock(LettuceScriptRunner.class), connection, this.call, false, false, false).send();
		then(around).shouldHaveNoInteractions();
		this.call.cancel(false);
		then(around).should().completeExceptionally(any(CancellationException.class));
	}

	/** Its caller gives up while it is sent. */
	@Test
	void commandOfAClusterWhenCancelledMeanwhileIsWithdrawnToo() {
		StatefulConnection<byte[], byte[]> connection = mock();
		RedisCommand<byte[], byte[], Object> around = mock();
		willAnswer((write) -> {
			this.call.cancel(false);
			return around;
		}).given(connection).dispatch(ArgumentMatchers.<RedisCommand<byte[], byte[], Object>>any());
		new LettuceCall(mock(LettuceScriptRunner.class), connection, this.call, false, false, false).send();
		then(around).should().completeExceptionally(any(CancellationException.class));
	}

	/** On a connection of its own. */
	private void read(String answer) {
		new RedisStateMachine().decode(Unpooled.copiedBuffer(answer, StandardCharsets.UTF_8), this.command.getOutput());
	}

}
