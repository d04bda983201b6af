import { randomUUID } from 'node:crypto'
import type { SupabaseClient } from '@supabase/supabase-js'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openHoldfast, type Holdfast } from '@holdfast/test-support'

// The output of pg_dump and the Supabase CLI for a project with files, run unchanged under the project's role.

/** The schema: the project's own additions to the storage tables. */
const SCHEMA = `
SET statement_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;
SET client_min_messages = warning;
SET row_security = off;

CREATE TABLE IF NOT EXISTS "public"."uploads" (
    "object_id" "uuid" NOT NULL,
    "name" "text" NOT NULL,
    "folder" "text"[],
    "by" "text"
);
ALTER TABLE "public"."uploads" OWNER TO "postgres";
ALTER TABLE "public"."uploads" ENABLE ROW LEVEL SECURITY;

CREATE TABLE IF NOT EXISTS "public"."project_members" (
    "project_id" "uuid" NOT NULL,
    "user_id" "uuid" NOT NULL
);
ALTER TABLE ONLY "public"."project_members"
    ADD CONSTRAINT "project_members_pkey" PRIMARY KEY ("project_id", "user_id");
ALTER TABLE "public"."project_members" ENABLE ROW LEVEL SECURITY;
CREATE POLICY "own rows" ON "public"."project_members" FOR SELECT TO "authenticated" USING (("user_id" = "auth"."uid"()));

CREATE OR REPLACE FUNCTION "public"."note_upload"() RETURNS "trigger"
    LANGUAGE "plpgsql" SECURITY DEFINER
    SET "search_path" TO ''
    AS $$
begin
  insert into public.uploads (object_id, name, folder, by)
  values (new.id, storage.filename(new.name), storage.foldername(new.name), new.owner_id);
  return new;
end;
$$;
ALTER FUNCTION "public"."note_upload"() OWNER TO "postgres";

CREATE OR REPLACE FUNCTION "public"."find_files"("wanted" "text") RETURNS SETOF "text"
    LANGUAGE "sql" STABLE
    AS $$
  select name from storage.search(wanted, 'avatars', 100, 2, 0, '', 'name', 'asc')
$$;
GRANT ALL ON FUNCTION "public"."find_files"("wanted" "text") TO "authenticated";

CREATE POLICY "Anyone can upload an avatar" ON "storage"."objects" FOR INSERT WITH CHECK (("bucket_id" = 'open'::"text"));
CREATE POLICY "Give users access to own folder 1oj01fe_0" ON "storage"."objects" FOR SELECT TO "authenticated" USING ((("bucket_id" = 'avatars'::"text") AND (( SELECT ("auth"."uid"())::"text" AS "uid") = ("storage"."foldername"("name"))[1])));
CREATE POLICY "Give users access to own folder 1oj01fe_1" ON "storage"."objects" FOR INSERT TO "authenticated" WITH CHECK ((("bucket_id" = 'avatars'::"text") AND (( SELECT ("auth"."uid"())::"text" AS "uid") = ("storage"."foldername"("name"))[1]) AND ("storage"."extension"("name") = ANY (ARRAY['png'::"text", 'jpg'::"text"]))));
CREATE POLICY "Give users access to own folder 1oj01fe_2" ON "storage"."objects" FOR DELETE TO "authenticated" USING ((("bucket_id" = 'avatars'::"text") AND ("owner_id" = ( SELECT ("auth"."uid"())::"text" AS "uid"))));
CREATE POLICY "members read the files of their projects" ON "storage"."objects" FOR SELECT TO "authenticated" USING ((("bucket_id" = 'projects'::"text") AND (EXISTS ( SELECT 1
   FROM "public"."project_members" "m"
  WHERE ((("m"."project_id")::"text" = ("storage"."foldername"("objects"."name"))[1]) AND ("m"."user_id" = "auth"."uid"()))))));
CREATE POLICY "listing only" ON "storage"."objects" FOR SELECT TO "authenticated" USING ((("bucket_id" = 'listed'::"text") AND "storage"."allow_only_operation"('storage.object.list'::"text")));
CREATE POLICY "own buckets" ON "storage"."buckets" FOR SELECT TO "authenticated" USING (("owner_id" = ("auth"."uid"())::"text"));

CREATE OR REPLACE TRIGGER "on_upload" AFTER INSERT ON "storage"."objects" FOR EACH ROW EXECUTE FUNCTION "public"."note_upload"();
GRANT ALL ON TABLE "public"."project_members" TO "authenticated";
RESET ALL;
`

const PROJECT = randomUUID()

/** The rows, as from `pg_dump --data-only --inserts`. */
const rows = (alice: string): string => `
SET session_replication_role = replica;
INSERT INTO "storage"."buckets" ("id", "name", "owner", "created_at", "updated_at", "public", "avif_autodetection", "file_size_limit", "allowed_mime_types", "owner_id", "type") VALUES
	('avatars', 'avatars', NULL, '2025-03-01 10:00:00+00', '2025-03-01 10:00:00+00', false, false, 1048576, '{image/png,image/jpeg}', NULL, 'STANDARD'),
	('projects', 'projects', '${alice}', '2025-03-01 10:00:00+00', '2025-03-01 10:00:00+00', false, false, NULL, NULL, '${alice}', 'STANDARD'),
	('listed', 'listed', NULL, '2025-03-01 10:00:00+00', '2025-03-01 10:00:00+00', false, false, NULL, NULL, NULL, 'STANDARD'),
	('open', 'open', NULL, '2025-03-01 10:00:00+00', '2025-03-01 10:00:00+00', true, false, NULL, NULL, NULL, 'STANDARD');
INSERT INTO "storage"."objects" ("id", "bucket_id", "name", "owner", "created_at", "updated_at", "last_accessed_at", "metadata", "version", "owner_id", "user_metadata") VALUES
	('${randomUUID()}', 'avatars', '${alice}/me.png', '${alice}', '2025-03-02 10:00:00+00', '2025-03-02 10:00:00+00', '2025-03-02 10:00:00+00', '{"eTag": "\\"b1946ac92492d2347c6235b4d2611184\\"", "size": 6, "mimetype": "image/png", "cacheControl": "max-age=3600", "lastModified": "2025-03-02T10:00:00.000Z", "contentLength": 6, "httpStatusCode": 200}', '0d0a2a9e-5b1e-4a79-93ab-1d1e1c6c0c2b', '${alice}', '{}'),
	('${randomUUID()}', 'projects', '${PROJECT}/plan.pdf', NULL, '2025-03-02 10:00:00+00', '2025-03-02 10:00:00+00', '2025-03-02 10:00:00+00', '{"eTag": "\\"c\\"", "size": 1, "mimetype": "application/pdf"}', '11ff2a9e-5b1e-4a79-93ab-1d1e1c6c0c2b', NULL, NULL),
	('${randomUUID()}', 'listed', 'a.txt', NULL, '2025-03-02 10:00:00+00', '2025-03-02 10:00:00+00', '2025-03-02 10:00:00+00', '{"size": 1}', NULL, NULL, NULL);
INSERT INTO "public"."project_members" ("project_id", "user_id") VALUES ('${PROJECT}', '${alice}');
RESET ALL;
`

let holdfast: Holdfast
let alice: SupabaseClient
let bob: SupabaseClient
let mine: string

const PNG = { contentType: 'image/png' }

beforeAll(async () => {
  holdfast = await openHoldfast()
  const signUp = async (name: string): Promise<[SupabaseClient, string]> => {
    const client = await holdfast.supabase()
    const { data, error } = await client.auth.signUp({
      email: `${name}@example.org`,
      password: 'correct horse battery',
    })
    if (error || !data.user) throw error ?? new Error('no user signed up')
    return [client, data.user.id]
  }
  ;[alice, mine] = await signUp('alice')
  ;[bob] = await signUp('bob')
  await holdfast.admin.withClient((client) => client.query(SCHEMA))
  await holdfast.admin.withClient((client) => client.query(rows(mine)))
})
afterAll(() => holdfast[Symbol.asyncDispose]())

describe('Files in a Supabase dump', () => {
  test('are visible only to users whom their policies allow', async () => {
    const own = await alice.storage.from('avatars').list(mine)
    expect(own.data).toMatchObject([{ name: 'me.png', metadata: { size: 6, mimetype: 'image/png' } }])
    expect((await bob.storage.from('avatars').list(mine)).data).toEqual([])
    expect((await alice.storage.from('projects').info(`${PROJECT}/plan.pdf`)).data).toMatchObject({
      contentType: 'application/pdf',
    })
    expect((await bob.storage.from('projects').info(`${PROJECT}/plan.pdf`)).error).not.toBeNull()
    expect((await alice.storage.listBuckets()).data).toMatchObject([{ id: 'projects' }])
  })

  test('get their bytes from a new upload, and keep owner and id', async () => {
    const missing = await alice.storage.from('avatars').download(`${mine}/me.png`)
    expect(missing.error).toMatchObject({ statusCode: '404' })
    const before = await alice.storage.from('avatars').info(`${mine}/me.png`)
    const answer = await fetch(`${holdfast.url}/storage/v1/object/avatars/${mine}/me.png`, {
      method: 'PUT',
      headers: { apikey: holdfast.serviceRoleKey, 'content-type': 'image/png' },
      body: 'hello\n',
    })
    expect(answer.status).toBe(200)
    const { data } = await alice.storage.from('avatars').download(`${mine}/me.png`)
    expect(await data?.text()).toBe('hello\n')
    expect((await alice.storage.from('avatars').info(`${mine}/me.png`)).data?.id).toBe(before.data?.id)
    // The policy requires the owner.
    expect((await alice.storage.from('avatars').remove([`${mine}/me.png`])).data).toHaveLength(1)
  })

  test('keep the policies, limits, functions and triggers of the project', async () => {
    const avatars = alice.storage.from('avatars')
    expect((await avatars.upload(`${mine}/new.png`, 'x', PNG)).error).toBeNull()
    expect((await avatars.upload(`${mine}/new.gif`, 'x', PNG)).error).toMatchObject({ statusCode: '403' })
    expect((await avatars.upload('others/new.png', 'x', PNG)).error).toMatchObject({ statusCode: '403' })
    expect((await avatars.upload(`${mine}/a.png`, 'x', { contentType: 'image/webp' })).error).toMatchObject({
      statusCode: '415',
    })
    expect((await avatars.upload(`${mine}/b.png`, 'x'.repeat(1_048_577), PNG)).error).toMatchObject({
      statusCode: '413',
    })
    const noted = await holdfast.admin.withClient(
      async (client) => (await client.query(`select name, folder, by from public.uploads where name = 'new.png'`)).rows,
    )
    expect(noted).toEqual([{ name: 'new.png', folder: [mine], by: mine }])
    expect((await alice.rpc('find_files', { wanted: `${mine}/` })).data).toEqual(['new.png'])
    expect((await bob.rpc('find_files', { wanted: `${mine}/` })).data).toEqual([])
  })

  test('support policies that test the operation', async () => {
    expect((await alice.storage.from('listed').list()).data).toMatchObject([{ name: 'a.txt' }])
    expect((await alice.storage.from('listed').info('a.txt')).error).not.toBeNull()
  })
})
