package io.distributedlock.actuate;

import java.util.function.Supplier;

import io.distributedlock.text.DisplayText;

import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.actuate.endpoint.web.annotation.EndpointWebExtension;

/**
 * The operations of {@link LocksEndpoint} over HTTP. A refused HTTP request has the
 * status 400 and a body with reason and remedy, which Spring Boot's own body lacks.
 *
 * @since 0.1.0
 */
@EndpointWebExtension(endpoint = LocksEndpoint.class)
@SuppressWarnings("deprecation") // Spring Boot 3.5 knows no other Nullable.
public final class LocksEndpointWebExtension {

	private final LocksEndpoint endpoint;

	/**
	 * Create the extension.
	 * @param endpoint the endpoint to call
	 */
	public LocksEndpointWebExtension(LocksEndpoint endpoint) {
		this.endpoint = endpoint;
	}

	/**
	 * Report the locks of one name, as {@link LocksEndpoint#lock} does.
	 * @param name the name, or {@value LocksEndpoint#NO_NAME} for locks without one
	 * @param key the key to ask the store about
	 * @param registry the bean of the registry, where there are several
	 * @param security the operator
	 * @return a {@link LockDescriptor}, or a {@link Refusal} with the status 400
	 */
	@ReadOperation
	public WebEndpointResponse<OperationResponseBody> lock(@Selector String name,
			@org.springframework.lang.Nullable String key, @org.springframework.lang.Nullable String registry,
			SecurityContext security) {
		return answer(() -> this.endpoint.lock(name, key, registry, security));
	}

	/**
	 * Take a lock away, as {@link LocksEndpoint#forceRelease} does.
	 * @param name the name, or {@value LocksEndpoint#NO_NAME} for locks without one
	 * @param key the key
	 * @param request the only request to take it from
	 * @param registry the bean of the registry, where there are several
	 * @param security the operator
	 * @return a {@link LockDescriptor.Released}, or a {@link Refusal} with the status 400
	 */
	@WriteOperation
	public WebEndpointResponse<OperationResponseBody> forceRelease(@Selector String name,
			@org.springframework.lang.Nullable String key, @org.springframework.lang.Nullable String request,
			@org.springframework.lang.Nullable String registry, SecurityContext security) {
		return answer(() -> this.endpoint.forceRelease(name, (key != null) ? key : "", request, registry, security));
	}

	private static WebEndpointResponse<OperationResponseBody> answer(Supplier<OperationResponseBody> operation) {
		try {
			return new WebEndpointResponse<>(operation.get());
		}
		catch (InvalidEndpointRequestException ex) {
			return new WebEndpointResponse<>(new Refusal(WebEndpointResponse.STATUS_BAD_REQUEST, "Bad Request",
					DisplayText.of(ex.getReason()).toString()), WebEndpointResponse.STATUS_BAD_REQUEST);
		}
	}

	/**
	 * Body of a refused HTTP request, with the field names of Spring Boot's error bodies.
	 *
	 * @param status the status of the response
	 * @param error the name of that status
	 * @param message the reason and the remedy
	 */
	public record Refusal(int status, String error, String message) implements OperationResponseBody {
	}

}
