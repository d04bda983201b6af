import type { TablePolicy } from './console-tables.ts'

/** A bucket of files. */
export interface ListedBucket {
  readonly id: string
  readonly isPublic: boolean
  /** Size limit of a file in bytes; `null` for the server's. */
  readonly fileSizeLimit: number | null
  /** Media types such as `image/*`; `null` for all. */
  readonly allowedMimeTypes: readonly string[] | null
  readonly createdAt: string | null
}

export interface BucketList {
  readonly buckets: readonly ListedBucket[]
  /** Whether there are more buckets than are listed. */
  readonly isCut: boolean
  /** Size limit of a file in bytes, whatever its bucket. */
  readonly fileSizeLimit: number
  /** Address under which users reach the server. */
  readonly publicUrl: string
}

/** Files and bytes of each bucket that has any; `null` where counting would take too long. */
export type BucketUsages = { readonly usages: Readonly<Record<string, BucketUsage>> | null }

export interface BucketUsage {
  readonly files: number
  readonly bytes: number
}

/** Which buckets the text of a policy names. A hint: only Postgres knows what a policy decides. */
export type PolicyScope = 'this' | 'others' | 'any'

export interface BucketPolicy extends TablePolicy {
  readonly scope: PolicyScope
}

export interface ListedFile {
  /** Full name, with folders. */
  readonly key: string
  readonly bytes: number | null
  readonly mimeType: string | null
  readonly updatedAt: string | null
}

export interface FolderPage {
  /** Full names of folders, each ending with `/`. */
  readonly folders: readonly string[]
  readonly files: readonly ListedFile[]
  readonly next?: string
}

export interface FileDetails extends ListedFile {
  readonly id: string
  readonly createdAt: string | null
  readonly ownerId: string | null
  readonly cacheControl: string | null
  readonly eTag: string | null
  /** Metadata that the client set; missing for viewers. */
  readonly userMetadata?: Readonly<Record<string, unknown>> | null
}

/** `POST /files/thumbnails`: paths of this server by name, valid for some minutes. Files that are no images have none. */
export type FileThumbnails = { readonly thumbnails: Readonly<Record<string, string>> }

/** `GET /files/folder`: files in a folder, at any depth. */
export interface FolderSize {
  /** Counted up to `filesMax` and one more. */
  readonly files: number
  readonly bytes: number
  /** Files that are deleted with their folder at most. */
  readonly filesMax: number
}

/** Paths of this server, valid for some minutes. */
export interface FilePreview {
  readonly path: string
  /** Of a resized image, if the file is one and the server renders them. */
  readonly thumbnailPath?: string
}
