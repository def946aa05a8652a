insert into stock (item, quantity, price, fence)
select 'book', 100, 12.50, 0 where not exists (select 1 from stock where item = 'book');
