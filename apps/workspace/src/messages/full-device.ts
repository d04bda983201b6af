import { formatBytes } from '../lib/format.ts'
import { inLanguages } from '../lib/texts.ts'

export const fullDeviceMessages = inLanguages('fullDeviceMessages', {
  title: 'This device is full',
  detail: 'Nothing was stored. Free up space on this device, then try again.',
  banner: (label: string) => `Not stored: ${label}. This device is full. Free up space on it, then do it again.`,
  freeUp: (bytes: number) => `Free up ${formatBytes(bytes)} of photos`,
  freed: (bytes: number) => `${formatBytes(bytes)} freed. Now do it again.`,
  stillFull: 'This device is still full. Delete other files or apps on it, then do it again.',
})
