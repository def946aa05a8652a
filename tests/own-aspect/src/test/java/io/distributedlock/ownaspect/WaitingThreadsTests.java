package io.distributedlock.ownaspect;

import java.net.http.HttpResponse;
import java.util.concurrent.CompletableFuture;

import com.zaxxer.hikari.HikariDataSource;
import io.distributedlock.Lease;
import io.distributedlock.LockInspector;
import io.distributedlock.LockRegistry;
import io.distributedlock.LockRequest;
import io.distributedlock.test.store.Patience;
import org.apache.tomcat.util.threads.ThreadPoolExecutor;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.boot.tomcat.TomcatWebServer;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.core.env.Environment;

import static org.assertj.core.api.Assertions.assertThat;

/** Requests that wait for a lock occupy the threads of the web server. */
@SpringBootTest(classes = { ShopApplication.class, PaymentController.class },
		webEnvironment = WebEnvironment.RANDOM_PORT,
		properties = { "server.tomcat.threads.max=2", "server.tomcat.threads.min-spare=2" })
class WaitingThreadsTests {

	@Autowired
	private Environment environment;

	@Autowired
	private WebServerApplicationContext context;

	@Autowired
	private HikariDataSource dataSource;

	@Autowired
	private LockRegistry registry;

	@Autowired
	private LockInspector inspector;

	@Test
	void requestWhenOthersWaitOnAllThreadsIsNotServed() {
		CompletableFuture<HttpResponse<String>> ping;
		CompletableFuture<Void> waiting;
		try (Lease other = this.registry.acquire(LockRequest.of("payments", "1"))) {
			assertThat(other.isHeld()).isTrue();
			waiting = CompletableFuture.allOf(post("/waiting-payments"), post("/waiting-payments"));
			Patience.await().until(() -> this.inspector.waiting().size() == 2);
			assertThat(this.dataSource.getHikariPoolMXBean().getActiveConnections()).isZero();
			ping = post("/ping");
			Patience.await().until(() -> threads().getQueue().size() == 1);
			assertThat(ping).isNotDone();
		}
		assertThat(waiting).succeedsWithin(Patience.CEILING);
		assertThat(ping).succeedsWithin(Patience.CEILING).extracting(HttpResponse::statusCode).isEqualTo(200);
	}

	private CompletableFuture<HttpResponse<String>> post(String path) {
		return Http.post(this.environment, path);
	}

	private ThreadPoolExecutor threads() {
		TomcatWebServer server = (TomcatWebServer) this.context.getWebServer();
		return (ThreadPoolExecutor) server.getTomcat().getConnector().getProtocolHandler().getExecutor();
	}

}
