import { expect, test } from 'vitest'
import { readEntries } from './entries.ts'

test('a dump is cut into its entries, with what names their owners apart', () => {
  const dump = `--
-- PostgreSQL database dump
--

SET row_security = off;

--
-- Name: f(); Type: FUNCTION; Schema: public; Owner: postgres
--

CREATE FUNCTION public.f() RETURNS text
    LANGUAGE sql
    AS $$ select 'a; b' $$;


ALTER FUNCTION public.f() OWNER TO postgres;

--
-- Name: notes own; Type: POLICY; Schema: public; Owner: postgres
--

CREATE POLICY own ON public.notes USING ((owner = auth.uid()));


--
-- PostgreSQL database dump complete
--
`
  expect(readEntries(dump)).toEqual([
    {
      name: 'f()',
      type: 'FUNCTION',
      schema: 'public',
      text: `CREATE FUNCTION public.f() RETURNS text\n    LANGUAGE sql\n    AS $$ select 'a; b' $$;`,
      owner: 'ALTER FUNCTION public.f() OWNER TO postgres;',
    },
    expect.objectContaining({ type: 'POLICY', owner: undefined }),
  ])
})

test('a body of a function that looks like an entry is none', () => {
  const body = `
-- it's a comment of the body
--
-- Name: notes; Type: TABLE; Schema: public; Owner: postgres
--
select 'it''s'; `
  const dump = `--
-- Name: g(); Type: FUNCTION; Schema: public; Owner: postgres
--

CREATE FUNCTION "public"."g"() RETURNS "text" LANGUAGE "sql" AS $_$${body}$_$;


ALTER FUNCTION "public"."g"() OWNER TO "postgres";

SET default_tablespace = '';

SET default_table_access_method = "heap";

--
-- Name: the "odd" one's; Type: TABLE; Schema: public; Owner: postgres
--

CREATE TABLE "public"."the ""odd"" one's" ("a" "text" DEFAULT E'\\'--'::"text");


--
-- PostgreSQL database dump complete
--

\\unrestrict abc
`
  expect(readEntries(dump)).toEqual([
    {
      name: 'g()',
      type: 'FUNCTION',
      schema: 'public',
      text: `CREATE FUNCTION "public"."g"() RETURNS "text" LANGUAGE "sql" AS $_$${body}$_$;`,
      owner: 'ALTER FUNCTION "public"."g"() OWNER TO "postgres";',
    },
    {
      name: `the "odd" one's`,
      type: 'TABLE',
      schema: 'public',
      text: `CREATE TABLE "public"."the ""odd"" one's" ("a" "text" DEFAULT E'\\'--'::"text");`,
      owner: undefined,
    },
  ])
})
