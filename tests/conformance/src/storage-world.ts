import { createClient, type SupabaseClient } from '@supabase/supabase-js'
import { openHoldfast, type Holdfast } from '@holdfast/test-support'

export interface StorageWorld extends AsyncDisposable {
  readonly holdfast: Holdfast
  /** Below which objects are, as apps write it: `http://127.0.0.1:<port>/storage/v1`. */
  readonly url: string
  /** Of the service key. */
  readonly service: SupabaseClient['storage']
  /** Of the anon key alone. */
  readonly anon: SupabaseClient['storage']
  /** Signed up, with files of their own in the bucket `photos` and no others. */
  readonly alice: SupabaseClient
  readonly bob: SupabaseClient
}

/** What a project writes for "everyone has a folder of their own". */
const POLICIES = `
  create policy "own folder" on storage.objects for all to authenticated
    using (bucket_id = 'photos' and (storage.foldername(name))[1] = (select auth.uid()::text))
    with check (bucket_id = 'photos' and (storage.foldername(name))[1] = (select auth.uid()::text));
`

/** A whole server with a private bucket in which people have folders, and a public one. */
export async function openStorageWorld(args: readonly string[] = []): Promise<StorageWorld> {
  const holdfast = await openHoldfast({ args })
  const options = { auth: { persistSession: false, autoRefreshToken: false } }
  const service = createClient(holdfast.url, holdfast.serviceRoleKey, options).storage
  await holdfast.admin.withClient((client) => client.query(POLICIES))
  for (const [name, isPublic] of [
    ['photos', false],
    ['pages', true],
  ] as const) {
    const { error } = await service.createBucket(name, { public: isPublic })
    if (error) throw error
  }
  const signUp = async (name: string): Promise<SupabaseClient> => {
    const client = await holdfast.supabase()
    const { error } = await client.auth.signUp({ email: `${name}@example.org`, password: 'correct horse battery' })
    if (error) throw error
    return client
  }
  return {
    holdfast,
    url: `${holdfast.url}/storage/v1`,
    service,
    anon: createClient(holdfast.url, holdfast.anonKey, options).storage,
    alice: await signUp('alice'),
    bob: await signUp('bob'),
    [Symbol.asyncDispose]: () => holdfast[Symbol.asyncDispose](),
  }
}

/** The folder of a person. */
export async function folderOf(client: SupabaseClient): Promise<string> {
  const { data } = await client.auth.getUser()
  if (!data.user) throw new Error('no user is signed in')
  return data.user.id
}
