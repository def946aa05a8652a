package io.distributedlock.sample.shop;

import java.math.BigDecimal;
import java.util.List;
import java.util.Optional;

import org.springframework.data.jpa.repository.Modifying;
import org.springframework.data.jpa.repository.Query;
import org.springframework.data.repository.Repository;

/**
 * Reads stock, and writes it only for a holder of the lock that is not late. The fence of
 * a row never goes back. So the write of a holder whose lease ran out is refused once the
 * next holder has written.
 */
interface StockRepository extends Repository<Stock, String> {

	Optional<Stock> findById(String item);

	List<Stock> findAllByOrderByItem();

	@Modifying(flushAutomatically = true, clearAutomatically = true)
	@Query("update Stock s set s.quantity = :quantity, s.fence = :token where s.item = :item and s.fence <= :token")
	int setQuantity(String item, int quantity, long token);

	@Modifying(flushAutomatically = true, clearAutomatically = true)
	@Query("update Stock s set s.price = :price, s.fence = :token where s.item = :item and s.fence <= :token")
	int setPrice(String item, BigDecimal price, long token);

}
