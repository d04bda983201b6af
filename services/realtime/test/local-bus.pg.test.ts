import { silentLogger } from '@holdfast/foundation'
import { openLocalBus } from '../src/bus/local-bus.ts'
import { describeBus } from './bus-suite.ts'

describeBus('one node', async () => {
  const bus = openLocalBus(silentLogger)
  return [bus, bus]
})
