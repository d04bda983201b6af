import type { Attachments } from '@holdfast/client'
import { useLocalDatabase } from './use-device.ts'

/** Returns the files of the open database's user. */
export function useAttachments(): Attachments {
  const { attachments } = useLocalDatabase()
  if (!attachments)
    throw new Error(
      'createClient() was given no attachments: configure where files are stored and which rows reference them',
    )
  return attachments
}
