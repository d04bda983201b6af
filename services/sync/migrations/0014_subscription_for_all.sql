-- Own roles ask for streams as well. What is in there tells nobody more than what their own device asked for.
grant usage on schema subscription to public;
