//! /init of the machine that Bochs emulates: runs /program with the arguments in /arguments and the
//! environment in /environment (one per line), reports its exit code on the console and powers off.
use std::io::Write;
use std::{arch::asm, fs, process::Command, thread::sleep, time::Duration};

unsafe extern "C" {
    fn reboot(command: i32) -> i32;
    fn iopl(level: i32) -> i32;
}

fn main() {
    let read = |path| fs::read_to_string(path).unwrap_or_default();
    let mut program = Command::new("/program");
    program.args(read("/arguments").lines());
    program.envs(read("/environment").lines().filter_map(|line| line.split_once('=')));
    println!("GUEST-START");
    match program.status() {
        Ok(status) => match status.code() {
            Some(code) => println!("GUEST-EXIT {code}"),
            None => println!("the program was ended by {status}\nGUEST-EXIT 128"),
        },
        Err(error) => println!("the program cannot start: {error}\nGUEST-EXIT 127"),
    }
    std::io::stdout().flush().ok();
    sleep(Duration::from_millis(300)); // until the serial line has sent everything
    // SAFETY: this is process 1 of a throw-away machine. Port 0x8900 is Bochs' own power switch;
    // the usual power-off follows.
    unsafe {
        if iopl(3) == 0 {
            for letter in b"Shutdown" {
                asm!("out dx, al", in("dx") 0x8900_u16, in("al") *letter);
            }
        }
        reboot(0x4321_fedc);
    }
    loop {
        sleep(Duration::from_secs(1));
    }
}
