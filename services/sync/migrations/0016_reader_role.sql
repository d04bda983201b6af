-- Streams are resolved by the role that compiles policies, which has no rights of a superuser.
grant execute on function sync.resolve_stream_query(text, text) to holdfast_reader;
