import { useQueries } from '@tanstack/react-query'
import type { FileThumbnails, FolderPage } from '@holdfast/protocol'
import { request } from '../../lib/api.ts'
import { previewKindOf } from './file-names.ts'

/** Links work for five minutes. */
const REFRESH_MS = 240_000

/** Returns the paths of thumbnails by file name, asked for once per page of the list: each request is in the audit log. */
export function useThumbnails(
  bucket: string,
  pages: readonly FolderPage[],
  isOn: boolean,
): Readonly<Record<string, string>> {
  return useQueries({
    queries: pages.map(({ files }) => {
      const keys = files.filter(({ mimeType }) => previewKindOf(mimeType) === 'image').map(({ key }) => key)
      return {
        queryKey: ['files', 'thumbnails', bucket, keys],
        queryFn: () => request<FileThumbnails>('POST /files/thumbnails', { body: { bucket, keys } }),
        enabled: isOn && keys.length > 0,
        staleTime: REFRESH_MS,
        refetchOnWindowFocus: false,
      }
    }),
    combine: (results) =>
      Object.fromEntries(isOn ? results.flatMap(({ data }) => Object.entries(data?.thumbnails ?? {})) : []),
  })
}
