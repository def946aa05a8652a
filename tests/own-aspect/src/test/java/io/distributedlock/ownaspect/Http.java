package io.distributedlock.ownaspect;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.concurrent.CompletableFuture;

import org.springframework.core.env.Environment;

/**
 * Requests to the web server of a test. Those at the same time have a connection each.
 */
final class Http {

	private static final HttpClient CLIENT = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

	private Http() {
	}

	static CompletableFuture<HttpResponse<String>> post(Environment environment, String path) {
		URI uri = URI.create("http://localhost:" + environment.getRequiredProperty("local.server.port") + path);
		return CLIENT.sendAsync(HttpRequest.newBuilder(uri).POST(BodyPublishers.ofString("")).build(),
				BodyHandlers.ofString());
	}

}
