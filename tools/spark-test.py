#!/usr/bin/env python3
"""Tests `setwise.spark` on a Spark cluster: a master and two workers, each a process of its own on
the loopback interface.

    tools/spark-test.py
    tools/spark-test.py --long       also runs the programs of all engines in docs/cluster.md

Every function must return what one process computes, in SQL and in a DataFrame. So must a SELECT
and a write of many rows, also when an executor or a worker is killed in the middle. A write whose
driver is killed in the middle must leave no `_SUCCESS`.

Needs a wheel in crates/python/target/wheels (tools/python-test.sh leaves one there), and packages
from PyPI (500 MB; --long: 1 GB). Installs Java if it is missing. Logs: crates/python/target/spark.

Exit code: 0 all right, 1 a case failed, 3 a requirement is missing.
"""
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
DATA, RESULT = FOLDER / 'boards', FOLDER / 'attacks'
FENS = ['r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1', '8/8/8/8/8/8/8/7Q b', 'Q6q/8/8/8/8/8/8/Q6q'] * 100
#: The virtual environment of the driver and of the workers, and one without the package.
WITH, WITHOUT = FOLDER / 'with', FOLDER / 'without'
#: Enough for a job to be interrupted in the middle.
ROWS, PARTS = 3_000_000, 12
SELECT = ('SELECT count(*), sum(bit_count(a)), bit_xor(shiftleft(a, CAST(id % 64 AS INT))) '
          'FROM (SELECT id, queen_attacks(queens, occupied) AS a FROM boards)')
TABLE = 'SELECT id, queen_attacks(queens, occupied) AS attacks FROM boards'
#: The limits in seconds: of the start of processes, of a job, of the whole test.
START, JOB, ALL = 90, 240, 900
#: Options for Java processes that live for a minute: half of the CPU time.
JAVA = '-XX:TieredStopAtLevel=1 -XX:+UseSerialGC'


def cannot(reason):
    print(f'spark-test.py: {reason}', file=sys.stderr)
    sys.exit(3)


def install(all_engines):
    """Installs Java and both virtual environments. `WITH` also sees the packages in `WITHOUT`."""
    if not shutil.which('java') and subprocess.run(
            [ROOT / 'tools/install.sh', 'openjdk-17-jre-headless']).returncode:
        cannot('there is no Java')
    wheels = [*(TARGET / 'wheels').glob('*.whl')]
    if len(wheels) != 1:
        cannot('needs a wheel: run tools/python-test.sh first')
    for venv, *packages in [
            (WITHOUT, 'pyspark>=4.1', 'pyarrow', 'pandas'),
            (WITH, '--force-reinstall', '--no-deps', wheels[0]),
            *([(WITH, 'ray[data]', 'dask[dataframe,distributed]')] if all_engines else [])]:
        if not (venv / 'bin/python').exists() and subprocess.run(
                [sys.executable, '-m', 'venv', venv]).returncode:
            cannot('python3 -m venv fails (on Debian: apt-get install python3-venv)')
        (own,) = venv.glob('lib/python3*/site-packages')
        if venv == WITH:
            (shared,) = WITHOUT.glob('lib/python3*/site-packages')
            (own / 'shared.pth').write_text(f'{shared}\n')
        pip = [venv / 'bin/python', '-m', 'pip', 'install', '-q', '--disable-pip-version-check']
        if subprocess.run([*pip, *packages], stdout=sys.stderr).returncode:
            cannot(f'pip cannot install {" ".join(map(str, packages))}')


def wait_for(condition, what):
    end = time.monotonic() + START
    while not condition():
        if time.monotonic() > end:
            sys.exit(f'spark-test.py: {what}: not within {START} s. Logs: {FOLDER}')
        time.sleep(0.05)


def free_port():
    with socket.socket() as socket_:
        socket_.bind(('127.0.0.1', 0))
        return socket_.getsockname()[1]


class Cluster:
    """A master and two workers."""

    def __init__(self):
        import pyspark
        self.home = Path(pyspark.__file__).parent
        self.port = free_port()
        self.url = f'spark://127.0.0.1:{self.port}'
        self.processes = [self.start('master', 'master.Master', '--port', str(self.port))]
        wait_for(lambda: not socket.socket().connect_ex(('127.0.0.1', self.port)), 'the master')
        for name in ['worker-1', 'worker-2']:
            self.processes.append(self.start(
                name, 'worker.Worker', self.url, '--cores', '2', '--memory', '3g', '--work-dir',
                str(FOLDER / name)))
            log = FOLDER / f'{name}.log'
            wait_for(lambda: 'Successfully registered with master' in log.read_text(), name)

    def start(self, name, kind, *arguments):
        environment = os.environ | {
            'SPARK_HOME': str(self.home), 'SPARK_LOCAL_IP': '127.0.0.1',
            'SPARK_DAEMON_MEMORY': '512m', 'SPARK_DAEMON_JAVA_OPTS':
                f'{JAVA} -Dspark.worker.timeout=5 -Dspark.master.rest.enabled=false'}
        with (FOLDER / f'{name}.log').open('w') as log:
            return subprocess.Popen(
                [self.home / 'bin/spark-class', f'org.apache.spark.deploy.{kind}', *arguments,
                 '--host', '127.0.0.1', '--webui-port', str(free_port())],
                env=environment, stdout=log, stderr=log)

    def executors(self, worker):
        """The executors of worker 1 or 2. A killed worker's executors are no longer its children,
        but still run in its folder."""
        found = []
        for process in Path('/proc').glob('[0-9]*'):
            try:
                if FOLDER / f'worker-{worker}' in (process / 'cwd').readlink().parents and (
                        'CoarseGrainedExecutor' in (process / 'cmdline').read_text()):
                    found.append(int(process.name))
            except OSError:
                pass  # it has ended
        return found

    def kill_executor(self):
        os.kill(self.executors(1)[0], signal.SIGKILL)

    def kill_worker(self):
        """Kills a worker, and its executors, so that nothing of the machine is left."""
        self.processes[1].kill()
        for executor in self.executors(1):
            os.kill(executor, signal.SIGKILL)

    def stop(self):
        for process in self.processes:
            process.kill()
            process.wait()
        for executor in self.executors(1) + self.executors(2):
            os.kill(executor, signal.SIGKILL)


def session(url, executors=2):
    """A session of executors with one thread each."""
    from pyspark.sql import SparkSession
    os.environ['PYSPARK_PYTHON'] = str(WITH / 'bin/python')
    os.environ['SPARK_LOCAL_IP'] = '127.0.0.1'
    settings = {
        'spark.driver.host': '127.0.0.1', 'spark.cores.max': executors, 'spark.executor.cores': 1,
        'spark.executor.memory': '1g', 'spark.ui.enabled': 'false',
        'spark.ui.showConsoleProgress': 'false',
        # A task for each file.
        'spark.sql.files.maxPartitionBytes': '1g', 'spark.sql.files.openCostInBytes': '1g',
        # Python gets the batches of the reader, which have 4096 rows by default.
        'spark.sql.parquet.columnarReaderBatchSize': 65_536,
        'spark.sql.execution.arrow.maxRecordsPerBatch': 65_536,
        # A machine that does not answer is lost after 12 s, not after 120 s.
        'spark.network.timeout': '12s', 'spark.network.timeoutInterval': '1s',
        'spark.executor.heartbeatInterval': '2s',
        'spark.executor.extraJavaOptions': JAVA, 'spark.driver.extraJavaOptions': JAVA,
    }
    builder = SparkSession.builder.master(url).appName('setwise')
    for name, value in settings.items():
        builder = builder.config(name, value)
    spark = builder.getOrCreate()
    spark.sparkContext.setLogLevel('ERROR')
    import setwise.spark
    setwise.spark.register(spark)
    boards = spark.read.schema('id BIGINT, queens BIGINT, occupied BIGINT').parquet(str(DATA))
    boards.createOrReplaceTempView('boards')
    return spark


def write_data():
    """Writes boards to files. Returns the attacks, computed by one process."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.parquet as pq
    import setwise
    shutil.rmtree(DATA, ignore_errors=True)
    DATA.mkdir(parents=True)
    words = np.random.default_rng(1).integers(0, 2**64, (3, ROWS), np.uint64)
    queens = np.uint64(1) << (words[0] >> np.uint64(58))
    occupied = words[1] & words[2]
    for i, ids in enumerate(np.array_split(np.arange(ROWS), PARTS)):
        columns = {'id': ids, 'queens': queens[ids].view(np.int64),
                   'occupied': occupied[ids].view(np.int64)}
        pq.write_table(pa.table(columns), DATA / f'{i:04}.parquet', compression='lz4')
    return setwise.queen_attacks(queens, occupied)


def select(spark):
    return tuple(spark.sql(SELECT).first())


def write(spark):
    spark.sql(TABLE).write.mode('overwrite').parquet(str(RESULT))


def in_the_middle(spark, job, act):
    """Runs a job, and calls `act` when half of its tasks are done. Returns the job's result, and
    whether the moment came before its end."""
    outcome = []
    thread = threading.Thread(target=lambda: outcome.append(job(spark)), daemon=True)
    thread.start()
    tracker, acted, end = spark.sparkContext.statusTracker(), False, time.monotonic() + JOB
    while thread.is_alive() and time.monotonic() < end:
        stages = [] if acted else map(tracker.getStageInfo, tracker.getActiveStageIds())
        if any(stage and stage.numTasks == PARTS and stage.numCompletedTasks >= PARTS // 2
               for stage in stages):
            act()
            acted = True
        thread.join(0.01)
    return (outcome or [None])[0], acted


class Test:
    def __init__(self, cluster, spark, attacks):
        import numpy as np
        self.cluster, self.spark, self.attacks = cluster, spark, attacks
        shifted = attacks << (np.arange(len(attacks)) % 64).astype(np.uint64)
        self.selected = (len(attacks), int(np.bitwise_count(attacks).sum()),
                         int(np.bitwise_xor.reduce(shifted).view(np.int64)))
        self.failed = False

    def judge(self, case, wrong):
        """Prints the result of a case. `wrong` says what is wrong, if anything is."""
        self.failed |= bool(wrong)
        print(f'{case}: {f"WRONG: {wrong}" if wrong else "right"}', flush=True)

    def written(self):
        """What is wrong with the files that a write leaves: each row must be there once."""
        import numpy as np
        import pyarrow.dataset
        if not (RESULT / '_SUCCESS').exists():
            return 'no _SUCCESS'
        table = pyarrow.dataset.dataset([*RESULT.glob('*.parquet')]).to_table().sort_by('id')
        if not np.array_equal(table['id'].to_numpy(), np.arange(len(self.attacks))):
            return 'rows are missing or occur twice'
        found = table['attacks'].to_numpy().view(np.uint64)
        return '' if np.array_equal(found, self.attacks) else 'other attacks'

    def jobs(self):
        found = select(self.spark)
        self.judge('SELECT', found != self.selected and found)
        write(self.spark)
        self.judge('write', self.written())

    def killed(self):
        """An executor dies in a SELECT, a worker with its executors in a write."""
        memory = self.spark.sparkContext._jsc.sc().getExecutorMemoryStatus  # with the driver's
        wait_for(lambda: memory().size() == 3 and self.cluster.executors(1), 'two executors')
        result, acted = in_the_middle(self.spark, select, self.cluster.kill_executor)
        self.judge('SELECT, executor killed', result != self.selected and f'{result}'
                   or not acted and 'the job ended before')
        wait_for(lambda: self.cluster.executors(1), 'a new executor')
        shutil.rmtree(RESULT, ignore_errors=True)
        _, acted = in_the_middle(self.spark, write, self.cluster.kill_worker)
        self.judge('write, worker killed', self.written() or not acted and 'the job ended before')

    def driver_killed(self):
        """The driver of another session dies in the middle of its write."""
        shutil.rmtree(RESULT, ignore_errors=True)
        with (FOLDER / 'driver.log').open('w') as log:
            driver = subprocess.Popen([sys.executable, __file__, '--driver', self.cluster.url],
                                      stdout=log, stderr=log, start_new_session=True)
        try:
            code = driver.wait(JOB)
        except subprocess.TimeoutExpired:
            os.killpg(driver.pid, signal.SIGKILL)
            code = 'it did not end'
        left = [path.name for path in RESULT.glob('*') if path.name != '_temporary']
        self.judge('write, driver killed', code != -signal.SIGKILL and f'its exit code: {code}'
                   or left and f'the target has {left}')

    def refused(self, case, job, *wanted):
        """A job must end with an error that says this."""
        try:
            job()
            wrong = 'no error'
        except Exception as error:
            wrong = '' if all(one in str(error) for one in wanted) else error
        self.judge(case, wrong)

    def errors(self):
        import setwise.spark
        self.refused('a string that is not a position',
                     lambda: self.spark.sql("SELECT fen_side('8/9', 'w')").collect(),
                     "'8/9' is not a position: piece placement")
        context, boards = self.spark.sparkContext, self.spark.table('boards').limit(5)
        # A call of a function keeps the Python that is set when it is made.
        python, context.pythonExec = context.pythonExec, str(WITHOUT / 'bin/python')
        call = setwise.spark.queen_attacks('queens', 'occupied')
        self.refused('workers without the package', boards.select(call).collect,
                     'the Python package setwise is missing on the worker', context.pythonExec)
        context.pythonExec = python

    def functions(self):
        """Every function, in SQL and in a DataFrame, gives what one process computes."""
        import pyarrow as pa
        import setwise.spark
        from pyspark.sql import functions as F
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
        in_sql = ', '.join(f'{setwise.spark.sql_name(name)}({", ".join(a)}) AS {name}'
                           for name, a in calls.items())
        in_frame = [getattr(setwise.spark, name)(*map(F.col, a)).alias(name)
                    for name, a in calls.items()]
        right = {name: _spark.evaluate(name, tuple(columns[a] for a in arguments))
                 for name, arguments in calls.items()}
        for how, found in [('SQL', self.spark.sql(f'SELECT {in_sql} FROM rows')),
                           ('DataFrame', frame.select(in_frame))]:
            table = found.toArrow()
            wrong = [name for name in calls if table[name].to_pylist() != right[name].to_pylist()]
            self.judge(f'{len(calls)} functions, {how}', wrong)
        row = self.spark.sql(
            "SELECT queen_attacks(1, 0), queen_attacks(18446744073709551615BD, 0), "
            "ray_attacks('North', 1, 0), 5 BETWEEN 1 AND 10, fen_side('8/8/8/8/8/8/8/K7', 'w'), "
            "try_fen_side('8/9', 'w')").first()
        literal = self.spark.range(1).select(setwise.spark.rook_attacks(2**63, 0)).first()[0]
        right = (0x81412111090503FE - 2**64, -1, 0x0101010101010100, True, 1, None)
        ok = tuple(row) == right and literal == 0x7F80808080808080
        self.judge('literals', '' if ok else f'{row}, {literal}')

    def run_program(self, heading, number, outcome):
        """Runs a program of the page. `outcome` says what is wrong with what it wrote."""
        text = (ROOT / 'docs/cluster.md').read_text(encoding='utf-8')
        section = re.search(rf'^## {heading}\n.*?(?=^## )', text, re.M | re.S)[0]
        program = re.findall(r'^```python\n(.*?)^```', section, re.M | re.S)[number]
        arguments = (f'--master {self.cluster.url} --conf spark.driver.host=127.0.0.1 --conf '
                     'spark.cores.max=1 --conf spark.executor.memory=1g pyspark-shell')
        environment = os.environ | {'PYSPARK_SUBMIT_ARGS': arguments,
                                    'PYSPARK_PYTHON': str(WITH / 'bin/python')}
        for folder in [RESULT, FOLDER / 'threats', FOLDER / 'sets']:
            shutil.rmtree(folder, ignore_errors=True)
        path = FOLDER / 'program.py'
        path.write_text(program, encoding='utf-8')
        with (FOLDER / 'program.log').open('a') as log:
            done = subprocess.run([WITH / 'bin/python', path], cwd=FOLDER, stdout=log, stderr=log,
                                  env=environment, timeout=JOB)
        self.judge(f'the program of {heading}, {number + 1}',
                   done.returncode and f'see {FOLDER}/program.log' or outcome())

    def programs(self):
        """The programs of the page write what one process computes."""
        import pyarrow as pa
        import pyarrow.dataset
        import pyarrow.parquet as pq
        import setwise

        def attacks():
            (RESULT / '_SUCCESS').touch()  # only Spark writes it
            return self.written()

        def of_fens(folder, column, right):
            found = pyarrow.dataset.dataset([*(FOLDER / folder).glob('*.parquet')]).to_table()
            return len(found) != len(FENS) or found[column].to_pylist() != right(found['fen'])

        (FOLDER / 'fens').mkdir(exist_ok=True)
        pq.write_table(pa.table({'fen': FENS}), FOLDER / 'fens/0.parquet')
        for engine in ['Spark', 'Ray', 'Dask']:
            self.run_program(engine, 0, attacks)
        self.run_program('FENs and threats', 0, lambda: of_fens(
            'threats', 'threats', lambda fens: setwise.threat_lists(fens).to_pylist()))
        self.run_program('FENs and threats', 1, lambda: of_fens(
            'sets', 'occupied', lambda fens: setwise.from_fen(fens).occupied[:, 0].tolist()))


def driver(url):
    """Writes, and kills itself and Spark's Java process in the middle."""
    in_the_middle(session(url, executors=1), write, lambda: os.killpg(0, signal.SIGKILL))


def main():
    if sys.argv[1:2] == ['--driver']:
        return driver(sys.argv[2])
    is_long = '--long' in sys.argv
    if unknown := set(sys.argv[1:]) - {'--long'}:
        print(f'error: unknown argument: {unknown.pop()}', file=sys.stderr)
        return 2
    if Path(sys.prefix) != WITH:
        FOLDER.mkdir(exist_ok=True, parents=True)
        install(is_long)
        os.execv(WITH / 'bin/python', [WITH / 'bin/python', __file__, *sys.argv[1:]])
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    signal.signal(signal.SIGALRM, lambda *_: sys.exit(f'spark-test.py: not done in {ALL} s'))
    signal.alarm(0 if is_long else ALL)
    attacks = write_data()
    cluster = Cluster()
    try:
        test = Test(cluster, session(cluster.url), attacks)
        test.functions()
        test.errors()
        test.jobs()
        test.killed()
        test.spark.stop()
        test.driver_killed()
        if is_long:
            test.programs()
    finally:
        cluster.stop()
    return int(test.failed)


if __name__ == '__main__':
    sys.exit(main())
