import type { JSX } from 'react'
import type { ListedDevice } from '@holdfast/protocol'
import { Chip } from '@holdfast/workspace'
import { formatDuration } from '../../lib/format.ts'

/** Whether a device is connected, and how far behind it is. */
export function DeviceState({ device }: { readonly device: ListedDevice }): JSX.Element {
  const { isConnected, delay } = device
  if (!isConnected) return <Chip colour="slate">offline</Chip>
  if (delay.causes.length === 0) return <Chip colour="green">up to date</Chip>
  const seconds = delay.seconds ?? 0
  return <Chip colour="amber">{seconds < 1 ? 'incomplete' : `behind by ${formatDuration(seconds)}`}</Chip>
}
