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
