import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { access, constants, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import path from 'node:path';
import { promisify } from 'node:util';
import { freePort } from '../cluster.ts';
import { until } from '../scheduler.ts';

/** Debian's own place: its wrapper on the PATH would run as another user, in a directory of the system's. */
const PROGRAMS = '/usr/lib/rabbitmq/bin';
const START_LIMIT_MS = 60_000;

/** A RabbitMQ of a test's own: own node, ports, cookie and data, on loopback. */
export interface TestBroker {
  readonly url: string;
  readonly port: number;
  /** Ends it in order and starts it over its data. */
  restart(): Promise<void>;
  /** Ends it at once, as a power cut does. */
  kill9(): Promise<void>;
  start(): Promise<void>;
  /** Lets the broker close every client connection. */
  closeConnections(): Promise<void>;
  stop(): Promise<void>;
}

/** Null where RabbitMQ is not installed. */
export async function rabbitServer(): Promise<string | null> {
  const program = path.join(PROGRAMS, 'rabbitmq-server');
  return access(program, constants.X_OK).then(
    () => program,
    () => null,
  );
}

export async function startTestBroker(): Promise<TestBroker> {
  const directory = await mkdtemp('/tmp/galley-rabbitmq-');
  const [port, distributionPort, namePort] = [await freePort(), await freePort(), await freePort()];
  const environment = await environmentOf(directory, { port, distributionPort, namePort });
  const names = spawn('epmd', ['-port', String(namePort), '-address', '127.0.0.1'], { stdio: 'ignore', env: environment });
  let broker: ChildProcess | null = null;
  let machine: number | null = null;
  const start = async (): Promise<void> => {
    broker = spawn(path.join(PROGRAMS, 'rabbitmq-server'), [], { stdio: 'ignore', env: environment });
    await until('RabbitMQ answers', () => answers(port), START_LIMIT_MS);
    machine = Number(await readFile(path.join(directory, 'pid'), 'utf8'));
  };
  const end = async (signal: 'SIGTERM' | 'SIGKILL'): Promise<void> => {
    const ending = broker;
    broker = null;
    if (ending === null || machine === null) return;
    process.kill(machine, signal);
    machine = null;
    if (ending.exitCode === null && ending.signalCode === null) await once(ending, 'exit');
  };
  const stop = async (): Promise<void> => {
    await end('SIGKILL');
    broker?.kill('SIGKILL');
    names.kill('SIGKILL');
    await rm(directory, { recursive: true, force: true, maxRetries: 5 });
  };
  try {
    await start();
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    url: `amqp://guest:guest@127.0.0.1:${port}/`,
    port,
    start,
    restart: async () => {
      await end('SIGTERM');
      await start();
    },
    kill9: () => end('SIGKILL'),
    closeConnections: async () => {
      await promisify(execFile)(path.join(PROGRAMS, 'rabbitmqctl'), ['close_all_connections', 'a test'], { env: environment });
    },
    stop,
  };
}

async function environmentOf(
  directory: string,
  ports: { port: number; distributionPort: number; namePort: number },
): Promise<NodeJS.ProcessEnv> {
  for (const folder of ['data', 'log']) await mkdir(path.join(directory, folder));
  await writeFile(path.join(directory, 'enabled_plugins'), '[].');
  return {
    PATH: process.env['PATH'],
    HOME: directory,
    ERL_EPMD_PORT: String(ports.namePort),
    ERL_EPMD_ADDRESS: '127.0.0.1',
    RABBITMQ_NODENAME: `galley-${ports.port}@localhost`,
    RABBITMQ_NODE_IP_ADDRESS: '127.0.0.1',
    RABBITMQ_NODE_PORT: String(ports.port),
    RABBITMQ_DIST_PORT: String(ports.distributionPort),
    RABBITMQ_MNESIA_BASE: path.join(directory, 'data'),
    RABBITMQ_LOG_BASE: path.join(directory, 'log'),
    RABBITMQ_PID_FILE: path.join(directory, 'pid'),
    RABBITMQ_ENABLED_PLUGINS_FILE: path.join(directory, 'enabled_plugins'),
    RABBITMQ_CONFIG_FILE: path.join(directory, 'rabbitmq'),
    RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS: '-kernel inet_dist_use_interface {127,0,0,1}',
  };
}

/** Speaks the first words of AMQP: the port is open a while before it answers. */
function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    const end = (answer: boolean): void => {
      socket.destroy();
      resolve(answer);
    };
    socket.setTimeout(1_000, () => end(false));
    socket.once('connect', () => socket.write('AMQP\u0000\u0000\u0009\u0001'));
    socket.once('data', () => end(true));
    socket.once('error', () => end(false));
    socket.once('close', () => end(false));
  });
}
