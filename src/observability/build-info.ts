import { Gauge, type Registry } from 'prom-client'

/** Shows the release that runs, and on which Node: a dashboard marks where it changes. */
export function showBuildInfo(registry: Registry, build: { release: string; node: string }): void {
  new Gauge({
    name: 'parley_build_info',
    help: '1, with the release and the version of Node that run',
    labelNames: ['release', 'node'],
    registers: [registry],
  }).set(build, 1)
}
