import { S3Client, type S3ClientConfig } from '@aws-sdk/client-s3'
import type { SupabaseClient } from '@supabase/supabase-js'
import { openStorageWorld, type StorageWorld } from './storage-world.ts'

export interface S3World extends StorageWorld {
  /** Of the key pair of the instance. */
  readonly s3: S3Client
  /** Of a person who is signed in: the public key signs, the session token says who they are. */
  s3Of(client: SupabaseClient, more?: S3ClientConfig): Promise<S3Client>
}

/** The world of storage as clients of S3 see it. */
export async function openS3World(): Promise<S3World> {
  const world = await openStorageWorld()
  const { endpoint, region, ...credentials } = world.holdfast.s3
  const clients: S3Client[] = []
  const connect = (config: S3ClientConfig): S3Client => {
    const client = new S3Client({ endpoint, region, forcePathStyle: true, ...config })
    clients.push(client)
    return client
  }
  return {
    ...world,
    s3: connect({ credentials }),
    async s3Of(client, more) {
      const { data } = await client.auth.getSession()
      if (!data.session) throw new Error('no user is signed in')
      return connect({
        credentials: {
          accessKeyId: 'project',
          secretAccessKey: world.holdfast.anonKey,
          sessionToken: data.session.access_token,
        },
        ...more,
      })
    },
    async [Symbol.asyncDispose]() {
      for (const client of clients) client.destroy()
      await world[Symbol.asyncDispose]()
    },
  }
}
