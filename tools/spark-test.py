#!/usr/bin/env python3
"""Tests `setwise.spark` on a Spark cluster: a master and two workers, each a process of its own on
the loopback interface. Kills executors, workers and drivers.

    tools/spark-test.py [--rows N] [--rounds N] [--keep]
    tools/spark-test.py --long    20 million rows, every case ten times, then Ray and Dask

For each case, a SELECT or a write to Parquet runs while a process is killed (SIGKILL) or stopped
(SIGSTOP). The job must return what one process computes, or fail; then the target must be without
`_SUCCESS`. Prints a table of the cases, and the rows a second of Spark and of one process.

Needs a wheel in crates/python/target/wheels (tools/python-test.sh leaves one there), and packages
from PyPI (1 GB). Installs Java if it is missing. Logs: crates/python/target/spark/logs.

Exit code: 0 all right, 1 a case failed, 3 a requirement is missing.
"""
import argparse
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TARGET = ROOT / 'crates/python/target'
FOLDER = TARGET / 'spark'
LOGS = FOLDER / 'logs'
DATA = FOLDER / 'data'
#: The virtual environment of the driver and of the workers, and one without the package.
WITH, WITHOUT = FOLDER / 'with', FOLDER / 'without'
PARTS = 24
SELECT = ('SELECT count(*), sum(bit_count(a)), bit_xor(shiftleft(a, CAST(id % 64 AS INT))) '
          'FROM (SELECT id, queen_attacks(queens, occupied) AS a FROM boards)')
TABLE = 'SELECT id, queen_attacks(queens, occupied) AS attacks FROM boards'
#: The time in which a job must end, in seconds.
LIMIT = 300


def cannot(reason):
    print(f'spark-test.py: {reason}', file=sys.stderr)
    sys.exit(3)


def install():
    """Installs Java and the two virtual environments. `WITH` also sees the packages of `WITHOUT`."""
    if not shutil.which('java') and subprocess.run(
            [ROOT / 'tools/install.sh', 'openjdk-17-jre-headless']).returncode:
        cannot('there is no Java')
    wheels = [*(TARGET / 'wheels').glob('*.whl')]
    if len(wheels) != 1:
        cannot('needs a wheel: run tools/python-test.sh first')

    def pip(venv, *packages):
        command = [venv / 'bin/python', '-m', 'pip', 'install', '-q', '--disable-pip-version-check']
        if subprocess.run([*command, *packages], stdout=sys.stderr).returncode:
            cannot(f'pip cannot install {" ".join(map(str, packages))}')

    for venv in [WITHOUT, WITH]:
        if not (venv / 'bin/python').exists() and subprocess.run(
                [sys.executable, '-m', 'venv', venv]).returncode:
            cannot('python3 -m venv fails (on Debian: apt-get install python3-venv)')
    pip(WITHOUT, 'pyspark>=4.1', 'pyarrow', 'pandas')
    (shared,) = WITHOUT.glob('lib/python3*/site-packages')
    (own,) = WITH.glob('lib/python3*/site-packages')
    (own / 'shared.pth').write_text(f'{shared}\n')
    pip(WITH, '--no-deps', '--force-reinstall', wheels[0])


# ---- Processes ----

def children(pid):
    """The processes that a process has started, and those that they have started."""
    parents = {}
    for stat in Path('/proc').glob('[0-9]*/stat'):
        try:
            fields = stat.read_text().rsplit(')', 1)[1].split()
        except OSError:
            continue
        parents.setdefault(int(fields[1]), []).append(int(stat.parent.name))
    found, new = [], [pid]
    while new:
        new = [child for parent in new for child in parents.get(parent, [])]
        found += new
    return found


def command(pid):
    try:
        return Path(f'/proc/{pid}/cmdline').read_text().replace('\0', ' ')
    except OSError:
        return ''


def send(pids, number):
    for pid in pids:
        try:
            os.kill(pid, number)
        except ProcessLookupError:
            pass


def wait_for(condition, what, limit=60):
    end = time.monotonic() + limit
    while not condition():
        if time.monotonic() > end:
            sys.exit(f'spark-test.py: {what}: not within {limit} s')
        time.sleep(0.02)


def free_port():
    with socket.socket() as socket_:
        socket_.bind(('127.0.0.1', 0))
        return socket_.getsockname()[1]


class Cluster:
    """A master and two workers."""

    def __init__(self):
        import pyspark
        self.home = Path(pyspark.__file__).parent
        self.number = 0
        self.port = free_port()
        self.url = f'spark://127.0.0.1:{self.port}'
        self.master = self.start('master', 'master.Master', '--port', str(self.port))
        wait_for(lambda: not socket.socket().connect_ex(('127.0.0.1', self.port)), 'the master')
        self.workers = [self.worker(), self.worker()]

    def start(self, name, kind, *arguments):
        environment = os.environ | {
            'SPARK_HOME': str(self.home), 'SPARK_LOCAL_IP': '127.0.0.1',
            'SPARK_DAEMON_MEMORY': '512m', 'SPARK_NO_DAEMONIZE': '1'}
        with (LOGS / f'{name}.log').open('w') as log:
            return subprocess.Popen(
                [self.home / 'bin/spark-class', f'org.apache.spark.deploy.{kind}', *arguments,
                 '--host', '127.0.0.1', '--webui-port', str(free_port())],
                env=environment, stdout=log, stderr=log, start_new_session=True)

    def worker(self):
        self.number += 1
        name = f'worker-{self.number}'
        return self.start(name, 'worker.Worker', self.url, '--cores', '2', '--memory', '3g',
                          '--work-dir', str(LOGS / name))

    def executors(self):
        """The executors of each worker."""
        return [[pid for pid in children(worker.pid) if 'CoarseGrainedExecutor' in command(pid)]
                for worker in self.workers]

    def restore(self):
        """Starts new workers for those that have ended, and waits for two executors."""
        for i, worker in enumerate(self.workers):
            if worker.poll() is not None:
                self.workers[i] = self.worker()

    def stop(self):
        for process in [self.master, *self.workers]:
            send([*children(process.pid), process.pid], signal.SIGKILL)
            process.wait()


def session(url, python=WITH, **more):
    """A session of two executors, with one thread each."""
    from pyspark.sql import SparkSession
    os.environ['PYSPARK_PYTHON'] = str(python / 'bin/python')
    os.environ['SPARK_LOCAL_IP'] = '127.0.0.1'
    settings = {
        'spark.driver.host': '127.0.0.1', 'spark.cores.max': 2, 'spark.executor.cores': 1,
        'spark.executor.memory': '1g', 'spark.ui.enabled': 'false',
        'spark.ui.showConsoleProgress': 'false',
        'spark.sql.files.maxPartitionBytes': '1g', 'spark.sql.files.openCostInBytes': '1g',
        'spark.sql.execution.arrow.maxRecordsPerBatch': 100_000,
        # A machine that does not answer is lost after 20 s, not after 120 s.
        'spark.network.timeout': '20s', 'spark.executor.heartbeatInterval': '2s',
        'spark.network.timeoutInterval': '2s',
        # A test loses more executors than a day of real work.
        'spark.deploy.maxExecutorRetries': -1,
    }
    builder = SparkSession.builder.master(url).appName('setwise')
    for name, value in (settings | more).items():
        builder = builder.config(name, value)
    spark = builder.getOrCreate()
    print('session', time.monotonic(), flush=True)
    spark.sparkContext.setLogLevel('ERROR')
    import setwise.spark
    setwise.spark.register(spark)
    print('registered', time.monotonic(), flush=True)
    spark.read.parquet(str(DATA)).createOrReplaceTempView('boards')
    print('read', time.monotonic(), flush=True)
    return spark


# ---- Data, and what one process computes ----

def write_data(rows):
    """Writes boards in `PARTS` files. Returns the attacks, computed by one process."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.parquet as pq
    import setwise
    shutil.rmtree(DATA, ignore_errors=True)
    DATA.mkdir(parents=True)
    source = np.random.default_rng(1)
    words = source.integers(0, 2**64, (3, rows), np.uint64)
    queens = np.uint64(1) << (words[0] >> np.uint64(58))
    occupied = words[1] & words[2]
    for i, ids in enumerate(np.array_split(np.arange(rows), PARTS)):
        columns = {'id': ids, 'queens': queens[ids].view(np.int64),
                   'occupied': occupied[ids].view(np.int64)}
        pq.write_table(pa.table(columns), DATA / f'{i:02}.parquet', compression='lz4')
    return setwise.queen_attacks(queens, occupied)


def expected(attacks):
    import numpy as np
    shifted = attacks << (np.arange(len(attacks)) % 64).astype(np.uint64)
    return (len(attacks), int(np.bitwise_count(attacks).sum()),
            int(np.bitwise_xor.reduce(shifted).view(np.int64)))


def read_back(target, attacks):
    """What a reader finds in a folder: `all` rows, `none`, `part` of them, or `wrong` ones."""
    import numpy as np
    import pyarrow.dataset
    names = [path for path in target.glob('*.parquet')]
    if not names:
        return 'none'
    table = pyarrow.dataset.dataset(names).to_table()
    ids = table['id'].to_numpy()
    if len(np.unique(ids)) != len(ids) or (
            table['attacks'].to_numpy().view(np.uint64) != attacks[ids]).any():
        return 'wrong'
    return 'all' if len(ids) == len(attacks) else 'part'


# ---- Jobs ----

def select(spark):
    return tuple(spark.sql(SELECT).first())


def write(target):
    return lambda spark: spark.sql(TABLE).write.mode('overwrite').parquet(str(target))


def at(moment, spark, job, act):
    """Runs a job, and calls `act` at a moment. Returns the job's result, the error that it raised,
    and whether the moment came."""
    outcome = {}

    def run():
        try:
            outcome['result'] = job(spark)
        except Exception as error:
            outcome['error'] = error

    has_come = {
        'start': lambda stage: stage.numActiveTasks == 2,
        'middle': lambda stage: stage.numCompletedTasks >= PARTS // 2,
        'end': lambda stage: stage.numCompletedTasks >= PARTS - 2,
    }[moment]
    tracker = spark.sparkContext.statusTracker()
    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    acted = False
    end = time.monotonic() + LIMIT
    while thread.is_alive() and time.monotonic() < end:
        stages = [] if acted else map(tracker.getStageInfo, tracker.getActiveStageIds())
        if any(stage and stage.numTasks == PARTS and has_come(stage) for stage in stages):
            act()
            acted = True
        thread.join(0.01)
    if thread.is_alive():
        sys.exit(f'spark-test.py: a job did not end in {LIMIT} s')
    return outcome.get('result'), outcome.get('error'), acted


class Test:
    def __init__(self, cluster, spark, attacks):
        self.cluster, self.spark, self.attacks = cluster, spark, attacks
        self.expected = expected(attacks)
        self.counts = {}
        self.target = FOLDER / 'attacks'

    def two_executors(self):
        self.cluster.restore()
        memory = self.spark.sparkContext._jsc.sc().getExecutorMemoryStatus
        wait_for(lambda: memory().size() == 3, 'two executors', 120)

    def judge(self, case, verdict, seconds=0.0):
        """Counts the verdict on a case. A verdict is right, an error, or wrong."""
        count = self.counts.setdefault(case, {})
        count[verdict] = count.get(verdict, 0) + 1
        print(f'{case}: {verdict} ({seconds:.1f} s)', flush=True)

    def verdict(self, name, result, error):
        """Whether a job has done right: a SELECT by its result, a write by its target."""
        if name == 'SELECT':
            return 'error' if error else 'right' if result == self.expected else 'WRONG'
        success, found = (self.target / '_SUCCESS').exists(), read_back(self.target, self.attacks)
        if success or not error:
            return 'right' if found == 'all' and success and not error else f'WRONG: {found}'
        return f'error, target without _SUCCESS: {found}' if found != 'wrong' else 'WRONG'

    def case(self, name, moment, what, act):
        """Runs a job while something dies. Starts again if the job ends before the moment."""
        job = select if name == 'SELECT' else write(self.target)
        for _ in range(5):
            self.two_executors()
            shutil.rmtree(self.target, ignore_errors=True)
            started = time.monotonic()
            result, error, acted = at(moment, self.spark, job, act)
            if acted:
                verdict = self.verdict(name, result, error)
                self.judge(f'{name}, {what}, {moment}', verdict, time.monotonic() - started)
                return
        self.judge(f'{name}, {what}, {moment}', 'WRONG: the moment never came')

    def kill_executor(self):
        send(max(self.cluster.executors())[:1], signal.SIGKILL)

    def kill_worker(self):
        executors = self.cluster.executors()
        i = executors.index(max(executors))
        self.cluster.workers[i].kill()
        self.cluster.workers[i].wait()

    def stop_machine(self, name):
        """Stops a worker with its executors, as a machine that hangs, and lets it go on later."""
        stopped = []

        def act():
            executors = self.cluster.executors()
            self.index = executors.index(max(executors))
            pid = self.cluster.workers[self.index].pid
            stopped.extend([pid, *children(pid)])
            send(stopped, signal.SIGSTOP)

        self.case(name, 'middle', 'machine stopped', act)
        send(stopped, signal.SIGCONT)
        time.sleep(3)
        if name == 'write':  # what the machine does late must not change the target
            self.judge('write, the stopped machine goes on', self.verdict(name, None, None))
        send(stopped, signal.SIGKILL)
        self.cluster.workers[self.index].wait()

    def kill_driver(self, moment):
        """Kills the driver of another session in the middle of its write, or in its commit."""
        shutil.rmtree(self.target, ignore_errors=True)
        started = time.monotonic()
        environment = os.environ | {'SETWISE_SPARK_URL': self.cluster.url}
        with (LOGS / 'driver.log').open('a') as log:
            driver = subprocess.Popen([sys.executable, __file__, '--driver', moment], stdout=log,
                                      stderr=log, env=environment, start_new_session=True)
            code = driver.wait(LIMIT)
        success, found = (self.target / '_SUCCESS').exists(), read_back(self.target, self.attacks)
        verdict = f'target {"with" if success else "without"} _SUCCESS: {found}'
        right = code == -signal.SIGKILL and found != 'wrong' and (found == 'all' or not success)
        self.judge(f'write, driver, {moment}', verdict if right else f'WRONG: {code}, {verdict}',
                   time.monotonic() - started)

    def worker_without_package(self):
        """Workers whose Python lacks the package give an error that says so."""
        import setwise.spark
        context = self.spark.sparkContext
        python, context.pythonExec = context.pythonExec, str(WITHOUT / 'bin/python')
        try:
            column = setwise.spark.queen_attacks('queens', 'occupied')
            self.spark.table('boards').limit(5).select(column).collect()
            verdict = 'WRONG: no error'
        except Exception as error:
            wanted = 'the Python package setwise is missing on the worker'
            found = wanted in str(error) and context.pythonExec in str(error)
            verdict = 'an error that says so' if found else f'WRONG: {error}'
        context.pythonExec = python
        self.judge('workers without the package', verdict)

    def functions(self):
        """Every function, in SQL and in a DataFrame, gives what one process computes."""
        import pyarrow as pa
        import setwise.spark
        from setwise import _spark
        fens = ['r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1', '8/8/8/8/8/8/8/7Q b', None,
                'Q6q/8/8/8/8/8/8/Q6q']
        arguments = {
            'squares': [0, 63, None, 5], 'a': [0, 1, 63, None], 'b': [63, None, 7, 8],
            'fen': fens, 'direction': ['north', 'south-east', None, 'north'], 'line': ['file'] * 4,
            'side': ['white', 'b', 'black', 'White'], 'piece': ['queen', 'rook', 'rook', 'king'],
        }
        sets = pa.array([1, -2**63, None, 12345678987654321], pa.int64())
        columns = {name: pa.array(values) for name, values in arguments.items()}
        columns['positions'] = _spark.evaluate('fen_sets', (columns['fen'],))
        names = {name for function in _spark.FUNCTIONS.values() for name in function.arguments}
        columns |= {name: sets for name in names - set(columns)}
        frame = self.spark.createDataFrame(pa.table(columns)).coalesce(1)
        frame.createOrReplaceTempView('rows')
        calls = {name: list(f.arguments) for name, f in _spark.FUNCTIONS.items()}
        in_sql = ', '.join(f'{setwise.spark.sql_name(name)}({", ".join(a)}) AS {name}' for name, a in calls.items())
        from pyspark.sql import functions as F
        in_frame = [getattr(setwise.spark, name)(*map(F.col, a)).alias(name)
                    for name, a in calls.items()]
        right = {name: _spark.evaluate(name, tuple(columns[a] for a in arguments))
                 for name, arguments in calls.items()}
        for how, found in [('SQL', self.spark.sql(f'SELECT {in_sql} FROM rows')),
                           ('DataFrame', frame.select(in_frame))]:
            table = found.toArrow()
            wrong = [name for name in calls if table[name].to_pylist() != right[name].to_pylist()]
            self.judge(f'{len(calls)} functions, {how}', f'WRONG: {wrong}' if wrong else 'right')
        row = self.spark.sql(
            "SELECT queen_attacks(1, 0), queen_attacks(18446744073709551615BD, 0), "
            "ray_attacks('North', 1, 0), 5 BETWEEN 1 AND 10, fen_side('8/8/8/8/8/8/8/K7', 'w'), "
            "try_fen_side('8/9', 'w')").first()
        literal = self.spark.range(1).select(setwise.spark.rook_attacks(2**63, 0)).first()[0]
        right = (0x81412111090503FE - 2**64, -1, 0x0101010101010100, True, 1, None)
        ok = tuple(row) == right and literal == 0x7F80808080808080
        self.judge('literals', 'right' if ok else f'WRONG: {row}, {literal}')
        try:
            self.spark.sql("SELECT fen_side('8/9', 'w')").collect()
            self.judge('a string that is not a position', 'WRONG: no error')
        except Exception as error:
            ok = "'8/9' is not a position: piece placement" in str(error)
            self.judge('a string that is not a position', 'error' if ok else f'WRONG: {error}')

    def all(self, rounds):
        self.functions()
        self.worker_without_package()
        for name, job in [('SELECT', select), ('write', write(self.target))]:
            started = time.monotonic()
            self.judge(name, self.verdict(name, job(self.spark), None), time.monotonic() - started)
        for _ in range(rounds):
            for name in ['SELECT', 'write']:
                for moment in ['start', 'middle', 'end']:
                    self.case(name, moment, 'executor killed', self.kill_executor)
                    self.case(name, moment, 'worker killed', self.kill_worker)
                self.stop_machine(name)
            for moment in ['middle', 'commit']:
                self.kill_driver(moment)
        return any('WRONG' in verdict for count in self.counts.values() for verdict in count)


def driver(moment):
    """Writes, and kills itself and Spark's Java process in the middle or in the commit."""
    spark = session(os.environ['SETWISE_SPARK_URL'])
    target = FOLDER / 'attacks'
    die = lambda: os.killpg(0, signal.SIGKILL)
    if moment == 'commit':
        def watch():
            while not [*target.glob('*.parquet')]:
                time.sleep(0.0005)
            die()
        threading.Thread(target=watch, daemon=True).start()
        write(target)(spark)
    else:
        at(moment, spark, write(target), die)
    sys.exit('the moment never came')


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--long', action='store_true')
    parser.add_argument('--rows', type=int)
    parser.add_argument('--rounds', type=int)
    parser.add_argument('--driver')
    given = parser.parse_args()
    if given.driver:
        return driver(given.driver)
    if Path(sys.prefix) != WITH:
        FOLDER.mkdir(exist_ok=True, parents=True)
        install()
        os.execv(WITH / 'bin/python', [WITH / 'bin/python', __file__, *sys.argv[1:]])
    shutil.rmtree(LOGS, ignore_errors=True)
    LOGS.mkdir(parents=True)
    rows = given.rows or (20_000_000 if given.long else 1_000_000)
    attacks = write_data(rows)
    cluster = Cluster()
    try:
        started = time.monotonic()
        spark = session(cluster.url)
        test = Test(cluster, spark, attacks)
        test.two_executors()
        print(f'{rows} rows; the session took {time.monotonic() - started:.1f} s', flush=True)
        failed = test.all(given.rounds or (10 if given.long else 1))
    finally:
        cluster.stop()
    print('\n| case | results |\n|---|---|')
    for case, count in test.counts.items():
        print(f'| {case} | {", ".join(f"{n} {verdict}" for verdict, n in count.items())} |')
    sys.exit(failed)


if __name__ == '__main__':
    main()
