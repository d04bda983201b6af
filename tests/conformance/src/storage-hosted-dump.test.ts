import { randomUUID } from 'node:crypto'
import type { SupabaseClient } from '@supabase/supabase-js'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openHoldfast, type Holdfast } from '@holdfast/test-support'

// The output of `pg_dump` for the whole schema `storage` of a hosted project: its own tables and functions, and the rows of all tables.

/** Supabase's definitions, which already exist here, mixed with the project's own. One statement each. */
const SCHEMA: readonly string[] = [
  `CREATE SCHEMA storage`,
  `ALTER SCHEMA storage OWNER TO supabase_admin`,
  `CREATE TYPE storage.buckettype AS ENUM ('STANDARD', 'ANALYTICS', 'VECTOR')`,
  `CREATE FUNCTION storage.foldername(name text) RETURNS text[] LANGUAGE plpgsql IMMUTABLE AS $$ begin return array['not this one']; end $$`,
  `ALTER FUNCTION storage.foldername(name text) OWNER TO supabase_storage_admin`,
  `CREATE FUNCTION storage.extension(name text) RETURNS text LANGUAGE sql IMMUTABLE AS $$ select 'not this one' $$`,
  `CREATE FUNCTION storage.protect_delete() RETURNS trigger LANGUAGE plpgsql AS $$ begin return null; end $$`,
  `CREATE TABLE storage.buckets (id text NOT NULL, name text NOT NULL, owner uuid, public boolean DEFAULT false)`,
  `COMMENT ON COLUMN storage.buckets.owner IS 'Field is deprecated, use owner_id instead'`,
  `CREATE TABLE storage.migrations (id integer NOT NULL, name character varying(100) NOT NULL, hash character varying(40) NOT NULL, executed_at timestamp without time zone DEFAULT CURRENT_TIMESTAMP)`,
  `CREATE TABLE storage.objects (id uuid DEFAULT gen_random_uuid() NOT NULL, bucket_id text, name text)`,
  `ALTER TABLE storage.objects OWNER TO supabase_storage_admin`,
  `CREATE TABLE storage.prefixes (bucket_id text NOT NULL, name text NOT NULL COLLATE pg_catalog."C")`,
  `CREATE TABLE storage.s3_multipart_uploads (id text NOT NULL, bucket_id text NOT NULL, key text NOT NULL)`,
  `ALTER TABLE ONLY storage.buckets ADD CONSTRAINT buckets_pkey PRIMARY KEY (id)`,
  `ALTER TABLE ONLY storage.migrations ADD CONSTRAINT migrations_pkey PRIMARY KEY (id)`,
  `ALTER TABLE ONLY storage.objects ADD CONSTRAINT objects_pkey PRIMARY KEY (id)`,
  `CREATE UNIQUE INDEX bname ON storage.buckets USING btree (name)`,
  `CREATE UNIQUE INDEX bucketid_objname ON storage.objects USING btree (bucket_id, name)`,
  `CREATE INDEX name_prefix_search ON storage.objects USING btree (name text_pattern_ops)`,
  `CREATE INDEX idx_name_bucket_level_unique ON storage.objects USING btree (name COLLATE "C", bucket_id, level)`,
  `CREATE TRIGGER update_objects_updated_at BEFORE UPDATE ON storage.objects FOR EACH ROW EXECUTE FUNCTION storage.update_updated_at_column()`,
  `ALTER TABLE ONLY storage.objects ADD CONSTRAINT "objects_bucketId_fkey" FOREIGN KEY (bucket_id) REFERENCES storage.buckets(id)`,
  `CREATE FUNCTION public.is_inspector() RETURNS boolean LANGUAGE sql STABLE SECURITY DEFINER SET search_path TO '' AS $$ select coalesce((auth.jwt() -> 'user_metadata' ->> 'inspector')::boolean, false) $$`,
  `CREATE POLICY "inspectors read reports" ON storage.objects FOR SELECT TO authenticated USING (((bucket_id = 'reports'::text) AND public.is_inspector()))`,
  `CREATE POLICY "own folder" ON storage.objects TO authenticated USING (((bucket_id = 'reports'::text) AND ((storage.foldername(name))[1] = (auth.uid())::text))) WITH CHECK (((bucket_id = 'reports'::text) AND ((storage.foldername(name))[1] = (auth.uid())::text) AND (storage.extension(name) = 'pdf'::text)))`,
  `ALTER TABLE storage.buckets ENABLE ROW LEVEL SECURITY`,
  `ALTER TABLE storage.migrations ENABLE ROW LEVEL SECURITY`,
  `ALTER TABLE storage.objects ENABLE ROW LEVEL SECURITY`,
  `ALTER TABLE storage.prefixes ENABLE ROW LEVEL SECURITY`,
  `GRANT USAGE ON SCHEMA storage TO authenticated`,
  `GRANT ALL ON TABLE storage.buckets TO authenticated`,
  `GRANT ALL ON TABLE storage.objects TO authenticated`,
  `GRANT SELECT ON TABLE storage.s3_multipart_uploads TO authenticated`,
]

/** SQLSTATEs for objects that already exist, and for statements reserved to owners and superusers. */
const IS_THERE = ['42P06', '42P07', '42P16', '42710', '42723', '42501']

/** Rows of all tables, with the columns from when hosted projects stored folders as rows; loaded in one transaction, as in the guide. */
const rows = (alice: string): string => `
BEGIN;
SET session_replication_role = replica;
INSERT INTO "storage"."buckets" ("id", "name", "owner", "created_at", "updated_at", "public", "avif_autodetection", "file_size_limit", "allowed_mime_types", "owner_id", "type") VALUES
	('reports', 'reports', NULL, '2025-09-01 10:00:00+00', '2025-09-01 10:00:00+00', false, false, NULL, NULL, NULL, 'STANDARD');
INSERT INTO "storage"."migrations" ("id", "name", "hash", "executed_at") VALUES
	(0, 'create-migrations-table', 'a0', '2025-09-01 10:00:00'),
	(1, 'initialmigration', 'a1', '2025-09-01 10:00:01');
INSERT INTO "storage"."objects" ("id", "bucket_id", "name", "owner", "created_at", "updated_at", "last_accessed_at", "metadata", "version", "owner_id", "user_metadata", "level") VALUES
	('${randomUUID()}', 'reports', '${alice}/2025/may.pdf', '${alice}', '2025-09-02 10:00:00+00', '2025-09-02 10:00:00+00', '2025-09-02 10:00:00+00', '{"size": 6, "mimetype": "application/pdf"}', '${randomUUID()}', '${alice}', '{"pages": 2}', 3);
INSERT INTO "storage"."prefixes" ("bucket_id", "name", "created_at", "updated_at") VALUES
	('reports', '${alice}', '2025-09-02 10:00:00+00', '2025-09-02 10:00:00+00'),
	('reports', '${alice}/2025', '2025-09-02 10:00:00+00', '2025-09-02 10:00:00+00');
COMMIT;
RESET ALL;
`

let holdfast: Holdfast
let alice: SupabaseClient
let mine: string
let inspector: SupabaseClient
const refused: (readonly [code: string, statement: string])[] = []

async function signUp(name: string, metadata = {}): Promise<[SupabaseClient, string]> {
  const client = await holdfast.supabase()
  const credentials = { email: `${name}@example.org`, password: 'correct horse battery' }
  const { data, error } = await client.auth.signUp({ ...credentials, options: { data: metadata } })
  if (error || !data.user) throw error ?? new Error('no user signed up')
  return [client, data.user.id]
}

beforeAll(async () => {
  holdfast = await openHoldfast()
  ;[alice, mine] = await signUp('alice')
  ;[inspector] = await signUp('inspector', { inspector: true })
  await holdfast.admin.withClient(async (client) => {
    // Like `psql`: continue after a failed statement.
    for (const statement of SCHEMA) {
      await client.query(statement).catch((error: { readonly code?: string }) => {
        refused.push([error.code ?? '', statement])
      })
    }
    await client.query(rows(mine))
  })
})
afterAll(() => holdfast[Symbol.asyncDispose]())

describe("A dump of a hosted project's whole storage schema", () => {
  test('fails only for definitions that already exist', () => {
    expect(refused.filter(([code]) => !IS_THERE.includes(code))).toEqual([])
    expect(refused.filter(([, statement]) => /policy|public\.|^grant/i.test(statement))).toEqual([])
  })

  test("leaves Holdfast's functions unchanged", async () => {
    const answer = await holdfast.admin.withClient((client) =>
      client.query(`select storage.foldername('a/b/c.pdf') as folders, storage.extension('a/b/c.pdf') as extension`),
    )
    expect(answer.rows).toEqual([{ folders: ['a', 'b'], extension: 'pdf' }])
    const removing = holdfast.admin.withClient((client) => client.query('delete from storage.objects'))
    await expect(removing).rejects.toMatchObject({ code: '42501' })
  })

  test('restores rows and policies', async () => {
    const reports = alice.storage.from('reports')
    expect((await reports.list(`${mine}/2025`)).data).toMatchObject([{ name: 'may.pdf', metadata: { size: 6 } }])
    expect((await reports.info(`${mine}/2025/may.pdf`)).data).toMatchObject({ metadata: { pages: 2 } })
    expect((await inspector.storage.from('reports').list(`${mine}/2025`)).data).toHaveLength(1)
    const [stranger] = await signUp('stranger')
    expect((await stranger.storage.from('reports').list(`${mine}/2025`)).data).toEqual([])
  })

  test('accepts new files next to the restored ones', async () => {
    const reports = alice.storage.from('reports')
    const pdf = { contentType: 'application/pdf' }
    expect((await reports.upload(`${mine}/2025/june.pdf`, 'June', pdf)).error).toBeNull()
    expect(await (await inspector.storage.from('reports').download(`${mine}/2025/june.pdf`)).data?.text()).toBe('June')
    expect((await reports.upload(`${mine}/2025/june.txt`, 'June', pdf)).error).toMatchObject({ statusCode: '403' })
    // Restored rows get their bytes from a new upload.
    expect((await reports.update(`${mine}/2025/may.pdf`, 'May ..', pdf)).error).toBeNull()
    expect((await reports.list(`${mine}/2025`)).data?.map(({ name }) => name)).toEqual(['june.pdf', 'may.pdf'])
    expect((await reports.remove([`${mine}/2025/may.pdf`])).data).toHaveLength(1)
  })
})
