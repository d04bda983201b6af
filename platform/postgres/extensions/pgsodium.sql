-- Dumps of hosted projects of 2023 and 2024 make this extension whether it is used or not. Nothing of it is here.
do $$
begin
  raise warning using message = 'pgsodium is empty here: use the vault for secrets and pgcrypto for the rest',
    hint = 'A Postgres that has pgsodium can be used with --postgres-bin or DATABASE_URL.';
end
$$;
