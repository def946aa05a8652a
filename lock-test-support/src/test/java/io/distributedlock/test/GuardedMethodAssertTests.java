package io.distributedlock.test;

import io.distributedlock.annotation.DistributedLock;
import io.distributedlock.autoconfigure.DistributedLockAutoConfiguration;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import static io.distributedlock.test.LockAssertions.assertThatMethod;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/** The methods that the assertions accept as guarded, and their messages otherwise. */
@SpringBootTest
@AutoConfigureTestLocks
class GuardedMethodAssertTests {

	@Autowired
	private Accounts accounts;

	@Test
	void isGuardedWhenTheProxyTakesTheLockPasses() {
		assertThatMethod(this.accounts, "settle").isGuarded().isGuardedBy("");
	}

	@Test
	void isGuardedWhenTheInterfaceIsAnnotatedPasses() {
		assertThatMethod(this.accounts, "audit").isGuardedBy("audits", "#account");
	}

	@Test
	void isGuardedWhenThereIsNoAnnotationFails() {
		assertThatExceptionOfType(AssertionError.class)
			.isThrownBy(() -> assertThatMethod(this.accounts, "open").isGuarded())
			.withMessageContaining("Accounts.open()")
			.withMessageContaining("has @DistributedLock");
	}

	@Test
	void isGuardedWhenTheObjectHasNoProxyFails() {
		assertThatExceptionOfType(AssertionError.class)
			.isThrownBy(() -> assertThatMethod(new Accounts(), "settle").isGuarded())
			.withMessageContaining("this object has no proxy");
	}

	@Test
	void isGuardedWhenTheClassIsWovenPasses() {
		assertThatMethod(new Woven(), "settle").isGuarded();
	}

	@Test
	void isGuardedByWhenOneOfSeveralLocksIsMeantPasses() {
		assertThatMethod(this.accounts, "transfer", String.class, String.class).isGuardedBy("accounts", "#from", "#to")
			.isGuardedBy("ledger", "'all'");
	}

	@Test
	void isGuardedByWhenNameOrKeyIsAnotherFails() {
		assertThatExceptionOfType(AssertionError.class)
			.isThrownBy(() -> assertThatMethod(this.accounts, "audit").isGuardedBy("audits", "#id"))
			.withMessageContaining("[name 'audits' and keys [#account]]");
		assertThatExceptionOfType(AssertionError.class)
			.isThrownBy(() -> assertThatMethod(this.accounts, "audit").isGuardedBy("", "#account"));
	}

	@Test
	void isNotGuardedWhenItIsFails() {
		assertThatMethod(this.accounts, "open").isNotGuarded();
		assertThatMethod(this.accounts, "transfer").isNotGuarded();
		assertThatExceptionOfType(AssertionError.class)
			.isThrownBy(() -> assertThatMethod(this.accounts, "audit").isNotGuarded())
			.withMessageContaining("[name 'audits' and keys [#account]]");
	}

	@Test
	void methodWhenItIsNotClearWhichOneIsRefused() {
		assertThatIllegalArgumentException().isThrownBy(() -> assertThatMethod(this.accounts, "freeze"))
			.withMessageContaining("has no method freeze with these parameter types");
		assertThatIllegalArgumentException().isThrownBy(() -> assertThatMethod(this.accounts, "clos"));
	}

	/** Such names, which Kotlin gives, were not found. */
	@Test
	void methodWhenTheCompilerHasExtendedItsNameIsFound() {
		assertThatMethod(this.accounts, "close").isGuardedBy("", "#account");
		assertThatMethod(this.accounts, "close", String.class).isGuarded();
		assertThatIllegalArgumentException()
			.isThrownBy(() -> assertThatMethod(this.accounts, "close", Long.class).isGuarded());
	}

	/** The interface of a guarded class. */
	interface Audits {

		@DistributedLock(name = "audits", key = "#account")
		void audit(String account);

	}

	/** A class of which some methods are guarded. */
	static class Accounts implements Audits {

		public void open() {
		}

		@DistributedLock
		public void settle() {
		}

		@Override
		public void audit(String account) {
		}

		public void transfer() {
		}

		@DistributedLock(name = "accounts", key = { "#from", "#to" })
		@DistributedLock(name = "ledger", key = "'all'")
		public void transfer(String from, String to) {
		}

		@DistributedLock("#account")
		public void close$bank_main(String account) {
		}

		public void freeze(String account) {
		}

		public void freeze(long account) {
		}

	}

	/** A class with a guarded method, as AspectJ weaves it. */
	static class Woven {

		@DistributedLock
		public void settle() {
			settle_aroundBody0();
		}

		private static void settle_aroundBody0() {
		}

	}

	@Configuration(proxyBeanMethods = false)
	@ImportAutoConfiguration(DistributedLockAutoConfiguration.class)
	static class Bank {

		@Bean
		Accounts accounts() {
			return new Accounts();
		}

	}

}
